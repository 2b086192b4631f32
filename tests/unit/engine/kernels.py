"""The four programs of the latency figures, as a compiler of Python would write them."""

from __future__ import annotations

ADD = """
define i64 @add(i64 %a, i64 %b) nounwind {
  %sum = add i64 %a, %b
  ret i64 %sum
}
"""

LOOP = """
define i64 @loop(i64 %n) nounwind {
entry:
  %total.slot = alloca i64
  store i64 0, ptr %total.slot
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %square = mul i64 %i, %i
  %total = load i64, ptr %total.slot
  %sum = add i64 %total, %square
  store i64 %sum, ptr %total.slot
  %next = add nsw i64 %i, 1
  br label %head
done:
  %result = load i64, ptr %total.slot
  ret i64 %result
}
"""

TOTAL = """
define double @total(ptr noalias readonly %data, i64 %n) nounwind {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %s = phi double [ 0.0, %entry ], [ %sum, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = getelementptr inbounds double, ptr %data, i64 %i
  %item = load double, ptr %at
  %sum = fadd double %s, %item
  %next = add nsw i64 %i, 1
  br label %head
done:
  ret double %s
}
"""

AXPY = """
declare noalias ptr @make(i64)

define ptr @axpy(double %a, ptr readonly %x, ptr readonly %y, i64 %n) nounwind {
entry:
  %size = mul i64 %n, 8
  %out = call ptr @make(i64 %size)
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %x.at = getelementptr inbounds double, ptr %x, i64 %i
  %y.at = getelementptr inbounds double, ptr %y, i64 %i
  %out.at = getelementptr inbounds double, ptr %out, i64 %i
  %x.item = load double, ptr %x.at
  %y.item = load double, ptr %y.at
  %product = fmul double %a, %x.item
  %sum = fadd double %product, %y.item
  store double %sum, ptr %out.at
  %next = add nsw i64 %i, 1
  br label %head
done:
  ret ptr %out
}
"""
