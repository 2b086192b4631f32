"""Dynamic programming, triangular loops, graphs and sparse matrices."""

from __future__ import annotations

import numpy as np

from loops.kernel import Kernel


def pairings(codes, table):
    n = len(codes)
    for i in range(n):
        for j in range(n):
            table[i, j] = 0
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i + 1, j], table[i, j - 1])
            if codes[i] + codes[j] == 3:
                best = max(best, table[i + 1, j - 1] + 1)
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table[0, n - 1]


def matrix_chain(sizes, cost):
    n = len(sizes) - 1
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = 1.0e300
            for k in range(i, j):
                found = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                best = min(best, found)
            cost[i, j] = best
    return cost[0, n - 1]


def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through


def common_subsequence(a, b, table):
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[len(a), len(b)]


def edit_distance(a, b, row):
    for j in range(len(b) + 1):
        row[j] = j
    for i in range(len(a)):
        before = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            kept = row[j + 1]
            cost = before if a[i] == b[j] else before + 1
            row[j + 1] = min(cost, kept + 1, row[j] + 1)
            before = kept
    return row[len(b)]


def knapsack(weights, values, best):
    room = len(best) - 1
    for i in range(len(best)):
        best[i] = 0
    for k in range(len(weights)):
        w = weights[k]
        for c in range(room, w - 1, -1):
            best[c] = max(best[c], best[c - w] + values[k])
    return best[room]


def viterbi(steps, moves, scores, last):
    states = len(scores)
    for i in range(states):
        scores[i] = steps[0, i]
    for t in range(1, steps.shape[0]):
        for j in range(states):
            best = -1.0e300
            for i in range(states):
                best = max(best, scores[i] + moves[i, j])
            last[j] = best + steps[t, j]
        for j in range(states):
            scores[j] = last[j]
    return scores[0]


def sparse_product(starts, columns, values, x, y):
    for i in range(len(y)):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] = total


def breadth_first(starts, columns, levels, queue):
    for i in range(len(levels)):
        levels[i] = -1
    levels[0], queue[0] = 0, 0
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        for k in range(starts[node], starts[node + 1]):
            other = columns[k]
            if levels[other] < 0:
                levels[other] = levels[node] + 1
                queue[tail] = other
                tail += 1
    return tail


def page_rank(starts, columns, ranks, fresh):
    n = len(ranks)
    for i in range(n):
        fresh[i] = 0.15 / n
    for i in range(n):
        out = starts[i + 1] - starts[i]
        if out > 0:
            share = 0.85 * ranks[i] / out
            for k in range(starts[i], starts[i + 1]):
                fresh[columns[k]] += share


def joined_sets(left, right, parents):
    for i in range(len(parents)):
        parents[i] = i
    count = len(parents)
    for k in range(len(left)):
        a, b = left[k], right[k]
        while parents[a] != a:
            parents[a] = parents[parents[a]]
            a = parents[a]
        while parents[b] != b:
            parents[b] = parents[parents[b]]
            b = parents[b]
        if a != b:
            parents[a] = b
            count -= 1
    return count


def heap_sort(given, h):
    n = len(h)
    for i in range(n):
        h[i] = given[i]
    for first in range(n // 2 - 1, -1, -1):
        i = first
        while True:
            child = 2 * i + 1
            if child >= n:
                break
            if child + 1 < n and h[child + 1] > h[child]:
                child += 1
            if h[i] >= h[child]:
                break
            h[i], h[child] = h[child], h[i]
            i = child
    for end in range(n - 1, 0, -1):
        h[0], h[end] = h[end], h[0]
        i = 0
        while True:
            child = 2 * i + 1
            if child >= end:
                break
            if child + 1 < end and h[child + 1] > h[child]:
                child += 1
            if h[i] >= h[child]:
                break
            h[i], h[child] = h[child], h[i]
            i = child


def pair_sums(a, wanted):
    i, j, count = 0, len(a) - 1, 0
    while i < j:
        total = a[i] + a[j]
        if total == wanted:
            count += 1
            i += 1
            j -= 1
        elif total < wanted:
            i += 1
        else:
            j -= 1
    return count


def merged(a, b, out):
    i, j = 0, 0
    for k in range(len(out)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1


def window_maxima(a, width, queue, out):
    head, tail = 0, 0
    for i in range(len(a)):
        while tail > head and a[queue[tail - 1]] <= a[i]:
            tail -= 1
        queue[tail] = i
        tail += 1
        if queue[head] <= i - width:
            head += 1
        out[i] = a[queue[head]]


def spans(a, stack, out):
    top = 0
    for i in range(len(a)):
        while top > 0 and a[stack[top - 1]] <= a[i]:
            top -= 1
        out[i] = i + 1 if top == 0 else i - stack[top - 1]
        stack[top] = i
        top += 1


def moving_means(a, ring, out):
    head, total = 0, 0.0
    for k in range(len(ring)):
        ring[k] = 0.0
    for i in range(len(a)):
        total += a[i] - ring[head]
        ring[head] = a[i]
        head = (head + 1) % len(ring)
        out[i] = total / len(ring)


def _sparse(random, n=3_000, each=8):
    starts = np.arange(0, n * each + 1, each)
    return starts, random.integers(0, n, n * each), random.random(n * each)


KERNELS = [
    Kernel(
        pairings,
        lambda r: (r.integers(0, 4, 90), np.zeros((90, 90), "i8")),
        """int64_t pairings(int64_t *c, int64_t n, int64_t *t, int64_t p, int64_t q) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < n; j++) t[i * q + j] = 0;
            for (int64_t i = n - 1; i >= 0; i--) for (int64_t j = i + 1; j < n; j++) {
                int64_t a = t[(i + 1) * q + j], b = t[i * q + j - 1], best = a > b ? a : b;
                if (c[i] + c[j] == 3) { int64_t x = t[(i + 1) * q + j - 1] + 1; best = x > best ? x : best; }
                for (int64_t k = i + 1; k < j; k++) {
                    int64_t x = t[i * q + k] + t[(k + 1) * q + j]; best = x > best ? x : best; }
                t[i * q + j] = best; }
            return t[n - 1]; }""",
        "q",
    ),
    Kernel(
        matrix_chain,
        lambda r: (r.integers(1, 50, 91).astype("f8"), np.zeros((90, 90))),
        """double matrix_chain(double *s, int64_t m, double *c, int64_t p, int64_t q) { int64_t n = m - 1;
            for (int64_t len = 2; len <= n; len++) for (int64_t i = 0; i < n - len + 1; i++) {
                int64_t j = i + len - 1; double best = 1.0e300;
                for (int64_t k = i; k < j; k++) {
                    double x = c[i * q + k] + c[(k + 1) * q + j] + s[i] * s[k + 1] * s[j + 1];
                    best = x < best ? x : best; }
                c[i * q + j] = best; }
            return c[n - 1]; }""",
        "d",
    ),
    Kernel(
        floyd_warshall,
        lambda r: (r.random((80, 80)),),
        """void floyd_warshall(double *d, int64_t n, int64_t m) {
            for (int64_t k = 0; k < n; k++) for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < n; j++) {
                double x = d[i * m + k] + d[k * m + j]; if (x < d[i * m + j]) d[i * m + j] = x; } }""",
    ),
    Kernel(
        common_subsequence,
        lambda r: (
            *(r.integers(0, 4, 250).astype("u1") for _ in range(2)),
            np.zeros((251, 251), "i8"),
        ),
        """int64_t common_subsequence(uint8_t *a, int64_t n, uint8_t *b, int64_t m, int64_t *t, int64_t p, int64_t q) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) {
                if (a[i] == b[j]) t[(i + 1) * q + j + 1] = t[i * q + j] + 1;
                else { int64_t x = t[i * q + j + 1], y = t[(i + 1) * q + j]; t[(i + 1) * q + j + 1] = x > y ? x : y; } }
            return t[n * q + m]; }""",
        "q",
    ),
    Kernel(
        edit_distance,
        lambda r: (*(r.integers(97, 123, 250).astype("u1") for _ in range(2)), np.zeros(251, "i8")),
        """int64_t edit_distance(uint8_t *a, int64_t n, uint8_t *b, int64_t m, int64_t *row, int64_t k) {
            for (int64_t j = 0; j <= m; j++) row[j] = j;
            for (int64_t i = 0; i < n; i++) { int64_t before = row[0]; row[0] = i + 1;
                for (int64_t j = 0; j < m; j++) { int64_t kept = row[j + 1], cost = a[i] == b[j] ? before : before + 1;
                    if (kept + 1 < cost) cost = kept + 1;
                    if (row[j] + 1 < cost) cost = row[j] + 1;
                    row[j + 1] = cost; before = kept; } }
            return row[m]; }""",
        "q",
    ),
    Kernel(
        knapsack,
        lambda r: (r.integers(1, 60, 60), r.integers(1, 99, 60), np.zeros(1_001, "i8")),
        """int64_t knapsack(int64_t *w, int64_t n, int64_t *v, int64_t m, int64_t *best, int64_t size) {
            for (int64_t i = 0; i < size; i++) best[i] = 0;
            for (int64_t k = 0; k < n; k++) for (int64_t c = size - 1; c >= w[k]; c--) {
                int64_t x = best[c - w[k]] + v[k]; if (x > best[c]) best[c] = x; }
            return best[size - 1]; }""",
        "q",
    ),
    Kernel(
        viterbi,
        lambda r: (r.random((60, 30)), r.random((30, 30)), np.zeros(30), np.zeros(30)),
        """double viterbi(double *s, int64_t n, int64_t m, double *v, int64_t p, int64_t q, double *scores, int64_t k,
                        double *last, int64_t l) {
            for (int64_t i = 0; i < k; i++) scores[i] = s[i];
            for (int64_t t = 1; t < n; t++) {
                for (int64_t j = 0; j < k; j++) { double best = -1.0e300;
                    for (int64_t i = 0; i < k; i++) { double x = scores[i] + v[i * q + j]; best = x > best ? x : best; }
                    last[j] = best + s[t * m + j]; }
                for (int64_t j = 0; j < k; j++) scores[j] = last[j]; }
            return scores[0]; }""",
        "d",
    ),
    Kernel(
        sparse_product,
        lambda r: (*_sparse(r), r.random(3_000), np.zeros(3_000)),
        """void sparse_product(int64_t *starts, int64_t a, int64_t *columns, int64_t b, double *values, int64_t c,
                             double *x, int64_t d, double *y, int64_t n) {
            for (int64_t i = 0; i < n; i++) { double total = 0;
                for (int64_t k = starts[i]; k < starts[i + 1]; k++) total += values[k] * x[columns[k]];
                y[i] = total; } }""",
    ),
    Kernel(
        breadth_first,
        lambda r: (*_sparse(r)[:2], np.zeros(3_000, "i8"), np.zeros(3_000, "i8")),
        """int64_t breadth_first(int64_t *starts, int64_t a, int64_t *columns, int64_t b, int64_t *levels, int64_t n,
                               int64_t *queue, int64_t c) {
            for (int64_t i = 0; i < n; i++) levels[i] = -1;
            levels[0] = queue[0] = 0; int64_t head = 0, tail = 1;
            while (head < tail) { int64_t node = queue[head++];
                for (int64_t k = starts[node]; k < starts[node + 1]; k++) { int64_t other = columns[k];
                    if (levels[other] < 0) { levels[other] = levels[node] + 1; queue[tail++] = other; } } }
            return tail; }""",
        "q",
    ),
    Kernel(
        page_rank,
        lambda r: (*_sparse(r)[:2], r.random(3_000), np.zeros(3_000)),
        """void page_rank(int64_t *starts, int64_t a, int64_t *columns, int64_t b, double *ranks, int64_t n,
                        double *fresh, int64_t m) {
            for (int64_t i = 0; i < n; i++) fresh[i] = 0.15 / n;
            for (int64_t i = 0; i < n; i++) { int64_t out = starts[i + 1] - starts[i];
                if (out > 0) { double share = 0.85 * ranks[i] / out;
                    for (int64_t k = starts[i]; k < starts[i + 1]; k++) fresh[columns[k]] += share; } } }""",
    ),
    Kernel(
        joined_sets,
        lambda r: (*(r.integers(0, 5_000, 6_000) for _ in range(2)), np.zeros(5_000, "i8")),
        """int64_t joined_sets(int64_t *l, int64_t n, int64_t *r, int64_t m, int64_t *p, int64_t size) {
            for (int64_t i = 0; i < size; i++) p[i] = i;
            int64_t count = size;
            for (int64_t k = 0; k < n; k++) { int64_t a = l[k], b = r[k];
                while (p[a] != a) { p[a] = p[p[a]]; a = p[a]; }
                while (p[b] != b) { p[b] = p[p[b]]; b = p[b]; }
                if (a != b) { p[a] = b; count--; } }
            return count; }""",
        "q",
    ),
    Kernel(
        heap_sort,
        lambda r: (r.random(1_000), np.zeros(1_000)),
        """static void sift(double *h, int64_t i, int64_t n) {
            for (;;) { int64_t c = 2 * i + 1;
                if (c >= n) return;
                if (c + 1 < n && h[c + 1] > h[c]) c++;
                if (h[i] >= h[c]) return;
                double x = h[i]; h[i] = h[c]; h[c] = x; i = c; } }
        void heap_sort(double *given, int64_t m, double *h, int64_t n) {
            for (int64_t i = 0; i < n; i++) h[i] = given[i];
            for (int64_t first = n / 2 - 1; first >= 0; first--) sift(h, first, n);
            for (int64_t end = n - 1; end > 0; end--) { double x = h[0]; h[0] = h[end]; h[end] = x; sift(h, 0, end); } }""",
    ),
    Kernel(
        pair_sums,
        lambda r: (np.sort(r.integers(0, 1_000_000, 20_000)), 1_000_000),
        """int64_t pair_sums(int64_t *a, int64_t n, int64_t wanted) { int64_t i = 0, j = n - 1, count = 0;
            while (i < j) { int64_t total = a[i] + a[j];
                if (total == wanted) { count++; i++; j--; } else if (total < wanted) i++; else j--; }
            return count; }""",
        "q",
    ),
    Kernel(
        merged,
        lambda r: (np.sort(r.random(5_000)), np.sort(r.random(5_000)), np.zeros(10_000)),
        """void merged(double *a, int64_t n, double *b, int64_t m, double *out, int64_t size) {
            int64_t i = 0, j = 0;
            for (int64_t k = 0; k < size; k++)
                if (j >= m || (i < n && a[i] <= b[j])) out[k] = a[i++]; else out[k] = b[j++]; }""",
    ),
    Kernel(
        window_maxima,
        lambda r: (r.random(10_000), 50, np.zeros(10_000, "i8"), np.zeros(10_000)),
        """void window_maxima(double *a, int64_t n, int64_t width, int64_t *queue, int64_t m, double *out, int64_t k) {
            int64_t head = 0, tail = 0;
            for (int64_t i = 0; i < n; i++) {
                while (tail > head && a[queue[tail - 1]] <= a[i]) tail--;
                queue[tail++] = i;
                if (queue[head] <= i - width) head++;
                out[i] = a[queue[head]]; } }""",
    ),
    Kernel(
        spans,
        lambda r: (r.random(10_000), np.zeros(10_000, "i8"), np.zeros(10_000, "i8")),
        """void spans(double *a, int64_t n, int64_t *stack, int64_t m, int64_t *out, int64_t k) {
            int64_t top = 0;
            for (int64_t i = 0; i < n; i++) {
                while (top > 0 && a[stack[top - 1]] <= a[i]) top--;
                out[i] = top == 0 ? i + 1 : i - stack[top - 1];
                stack[top++] = i; } }""",
    ),
    Kernel(
        moving_means,
        lambda r: (r.random(10_000), np.zeros(64), np.zeros(10_000)),
        """void moving_means(double *a, int64_t n, double *ring, int64_t w, double *out, int64_t m) {
            int64_t head = 0; double total = 0;
            for (int64_t k = 0; k < w; k++) ring[k] = 0;
            for (int64_t i = 0; i < n; i++) {
                total += a[i] - ring[head];
                ring[head] = a[i];
                head = (head + 1) % w;
                out[i] = total / w; } }""",
    ),
]
