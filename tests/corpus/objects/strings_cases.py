"""Texts and bytes: methods, concatenation, items, and how they are encoded."""

# ruff: noqa: UP031  programs as they may be written

from __future__ import annotations

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Text(str):
    """A text of a class of its own."""

    def upper(self):
        return "<" + str.upper(self) + ">"


# --- concatenation --------------------------------------------------------------------------------


@CASES.case((5,), (0,), (40,))
def strings_that_grow_in_a_loop(n):
    """A text is a new one after each step; other names keep the old one."""
    text, kept = "", []
    for k in range(n):
        text += chr(97 + k % 26)
        if k % 10 == 0:
            kept.append(text)
        text = text + "." if k % 7 == 6 else text
    return text, kept, len(text)


@CASES.case(("a", "b"), ("", ""), ("é", "😀"), ("a\0b", "\n"))
def strings_are_added_and_repeated(a, b):
    """Sums and products, and pieces that stand next to each other."""
    made = a + b + a, a * 3, 2 * b, a * 0, -1 * a, "xy" + a, (a + b) * 2, a + "" is not None
    kept = a
    a += b
    a *= 2
    return made, kept, a, len(a), a == kept + b + kept + b


@CASES.case(("a", 1), ("a", None), ("a", b"b"), (b"a", "b"), ("a", ["b"]), ("ab", 1.0), ("a", "b"))
def strings_that_cannot_be_added(a, b):
    """A text takes texts only; products take integers."""
    found = []
    try:
        found.append(a + b)
    except TypeError as error:
        found.append(said(error))
    try:
        found.append(b + a)
    except TypeError as error:
        found.append(said(error))
    try:
        found.append(a * b)
    except TypeError as error:
        found.append(said(error))
    a += b
    return found, a


@CASES.case(
    (["a", "b", "c"], "-"), ([], "x"), (["one"], ""), ("xyz", ", "), (["a", 1], ""), (5, "")
)
def strings_are_joined(parts, between):
    """Any iterable of texts, and nothing else."""
    return between.join(parts), between.join(part for part in parts)


# --- items ----------------------------------------------------------------------------------------


@CASES.case(("hello",), ("",), ("añb😀",), ("aa",))
def strings_have_items(text):
    """Characters, slices, loops, and positions."""
    found = [text[::-1], text[1:3], text[-2:], [c for c in text], len(text), sorted(text), text[9:]]
    for index in (0, -1, 2, len(text)):
        try:
            found.append((text[index], ord(text[index])))
        except IndexError as error:
            found.append(said(error))
    try:
        text[0] = "x"
    except TypeError as error:
        found.append(said(error))
    return found


@CASES.case(("banana", "an"), ("banana", ""), ("", ""), ("abc", "x"), ("aXbX", "X"))
def strings_are_searched(text, part):
    """Where a part stands, how often, and what there is where it does not."""
    found = [part in text, text.find(part), text.rfind(part), text.count(part), text.find(part, 2)]
    found += [text.startswith(part), text.endswith((part, "c")), text.replace(part, "-")]
    found += [text.replace(part, "", 1), text.partition(part or "-"), text.rpartition(part or "-")]
    try:
        found.append(text.index(part, 1, -1))
    except ValueError as error:
        found.append(said(error))
    return found


@CASES.case(("a,b,,c",), ("  a  b ",), ("",), (",",), ("one",), ("a\nb\r\nc\n",))
def strings_are_split(text):
    """By a text, by blanks, from both ends, and by lines."""
    found = text.split(","), text.split(), text.split(",", 1), text.rsplit(",", 1)
    try:
        return found, text.splitlines(), text.splitlines(True), text.split(None, 1), text.split("")
    except ValueError as error:
        return found, text.splitlines(True), said(error)


@CASES.case(("Hello World",), ("straße",), ("ÀÉ",), ("123",), ("",), ("ǆ",), ("they're",))
def strings_change_their_case(text):
    """Letters that become others, and more of them."""
    return (
        text.upper(),
        text.lower(),
        text.title(),
        text.capitalize(),
        text.swapcase(),
        text.casefold(),
    )


@CASES.case(("abc",), ("ABC",), ("123",), ("a1",), (" ",), ("",), ("½",), ("٣",), ("_x",), ("é",))
def strings_are_asked_what_they_are(text):
    """What kinds of characters a text has."""
    kinds = text.isalpha(), text.isdigit(), text.isalnum(), text.isspace(), text.isnumeric()
    return (
        kinds,
        text.isupper(),
        text.islower(),
        text.istitle(),
        text.isidentifier(),
        text.isascii(),
    )


@CASES.case(("  ab  ",), ("xxabxx",), ("",), ("\t\n",), ("abcab",))
def strings_are_stripped_and_filled(text):
    """Blanks or other characters off both ends, and fillings up to a width."""
    stripped = text.strip(), text.lstrip("x "), text.rstrip("bx "), text.strip("ab"), text.strip("")
    filled = (
        text.center(9, "*"),
        text.ljust(8) + "|",
        text.rjust(8, "."),
        text.zfill(8),
        "-5".zfill(4),
    )
    return stripped, filled, text.removeprefix("ab"), text.removesuffix("ab"), text.expandtabs(2)


@CASES.case(("hello",), ("",))
def strings_are_translated(text):
    """Tables of characters that are replaced, dropped, or made more."""
    table = str.maketrans({"h": "J", "l": None, "o": "oo"})
    other = str.maketrans("el", "ip", "h")
    try:
        return text.translate(table), text.translate(other), text.translate({101: 69}), chr(-1)
    except ValueError as error:
        return text.translate(table), said(error)


@CASES.case(("a", "b"), ("a", "B"), ("", "a"), ("abc", "ab"), ("é", "z"), ("10", "9"), ("a", "a"))
def strings_are_compared(a, b):
    """By their characters' numbers."""
    return (
        a < b,
        a <= b,
        a == b,
        a > b,
        min(a, b),
        max(a, b),
        sorted([a, b, a + b]),
        hash(a) == hash(a),
    )


@CASES.case(("it's",), ('say "x"',), ("both ' and \"",), ("\n\t\\",), ("\x00\x7f\xa0é\u200b😀",))
def strings_as_programs_show_them(text):
    """Quotes and escapes of `repr` and `ascii`."""
    return (
        repr(text),
        ascii(text),
        str(text) is text,
        [text],
        {text: text},
        f"{text!r} {text!a} {text!s}",
    )


@CASES.case(("x",), ("",), ("é",))
def strings_with_escapes_and_prefixes(text):
    """Literals of all kinds."""
    raw = r"\n" + R"\d"
    many = """a
    b"c" """
    return (
        raw,
        many,
        "\x41\101\u00e9\N{DIGIT ONE}\
end",
        len("\\"),
        b"\x00\n" + rb"\n",
        text + "\a\b\f\v\r",
        '"' + "'" + "\"'",
    )


@CASES.case(("abc",), ("",))
def strings_of_a_subclass(text):
    """Methods that are not overridden give plain texts."""
    one = Text(text)
    made = one + "d", one[1:], one.lower(), str(one), one * 2
    found = [type(x).__name__ for x in made]
    return (
        made,
        found,
        one.upper(),
        f"{one}",
        "%s" % one,
        one == text,
        {one: 1}[text],
        type(one).__name__,
    )


# --- bytes and encodings --------------------------------------------------------------------------


@CASES.case(("abc",), ("é",), ("😀",), ("",), ("\ud800",))
def strings_are_encoded(text):
    """Encodings, and what is done with characters that have no place in them."""
    found = []
    for encoding in ("utf-8", "ascii", "latin-1", "utf-16-le"):
        for errors in ("strict", "ignore", "replace", "backslashreplace"):
            try:
                found.append(text.encode(encoding, errors))
            except UnicodeEncodeError as error:
                found.append((type(error).__name__, error.start, error.end, error.reason))
    return found


@CASES.case((b"abc",), (b"\xc3\xa9",), (b"\xff\xfea",), (b"",), (b"a\xc3",))
def strings_are_decoded(data):
    """Bytes that are no text, and what is done with them."""
    found = [
        data.hex(),
        data.decode("latin-1"),
        data.decode(errors="replace"),
        bytes.fromhex("41 42"),
    ]
    try:
        found.append(data.decode())
    except UnicodeDecodeError as error:
        found.append((error.start, error.end, error.reason, error.object == data))
    return found, str(data), str(data, "latin-1"), data.decode("utf-8", "ignore")


@CASES.case((b"a,b,c", b","), (b"aXbX", b"X"), (b"", b"x"), (bytearray(b"k=v"), b"="))
def strings_of_bytes_by_their_methods(data, part):
    """Bytes have most methods of texts."""
    found = (
        data.split(part),
        data.replace(part, b"-"),
        data.upper(),
        data.find(part),
        data.count(part),
    )
    found += data.startswith(part), data.partition(part), data.strip(b"ac"), data.join([b"1", b"2"])
    try:
        return found, data[0], data.split(",")
    except (IndexError, TypeError) as error:
        return found, said(error)


# --- programs -------------------------------------------------------------------------------------


@CASES.case(("the cat the dog",), ("",), ("a A a",))
def strings_words_are_counted(text):
    """Words by their number, then by their letters."""
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    lines = [f"{word:<6}{n:>3}" for word, n in sorted(counts.items(), key=lambda p: (-p[1], p[0]))]
    return "\n".join(lines), max(counts, key=counts.get, default=None)


@CASES.case(("Hello, World!", 3), ("xyz", -3), ("", 1), ("Abc", 29))
def strings_are_shifted_by_letters(text, by):
    """Caesar's code, there and back."""
    made = ""
    for c in text:
        if "a" <= c <= "z":
            made += chr((ord(c) - 97 + by) % 26 + 97)
        elif c.isupper():
            made += chr((ord(c) - ord("A") + by) % 26 + ord("A"))
        else:
            made += c
    back = "".join(chr((ord(c) - 97 - by) % 26 + 97) if c.islower() else c for c in made)
    return made, back[1:] == text[1:]


@CASES.case(("aaabbc",), ("",), ("abc",), ("zzzzzzzzzzzz",))
def strings_are_packed_by_runs(text):
    """Runs of one character become a number and a character, and back."""
    packed, k = [], 0
    while k < len(text):
        end = k
        while end < len(text) and text[end] == text[k]:
            end += 1
        packed.append(f"{end - k}{text[k]}" if end - k > 1 else text[k])
        k = end
    number, back = "", ""
    for c in "".join(packed):
        if c.isdigit():
            number += c
            continue
        back += c * int(number or 1)
        number = ""
    return packed, back == text


@CASES.case(("kitten", "sitting"), ("", "abc"), ("same", "same"))
def strings_and_their_distance(a, b):
    """How many changes make one text the other."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for k, y in enumerate(b, 1):
            last, row[k] = row[k], last if x == y else 1 + min(last, row[k], row[k - 1])
    return row[-1]


@CASES.case(("(a[b]{c})",), ("(]",), ("((",), ("",), (")",))
def strings_whose_brackets_match(text):
    """A stack of brackets that are still open."""
    pairs, stack = {")": "(", "]": "[", "}": "{"}, []
    for place, c in enumerate(text):
        if c in pairs.values():
            stack.append((c, place))
        elif c in pairs:
            if not stack or stack.pop()[0] != pairs[c]:
                return "wrong", place
    return ("open", stack[-1][1]) if stack else "right"


@CASES.case(("3 4 + 2 *",), ("1 0 /",), ("1 +",), ("2 3 ^",), ("",), ("2 -3 -",))
def strings_that_are_computed(text):
    """A calculator with a stack."""
    stack = []
    for word in text.split():
        match word:
            case "+" | "-" | "*" | "/":
                try:
                    b, a = stack.pop(), stack.pop()
                except IndexError:
                    raise ValueError("empty", word) from None
                stack.append(
                    {"+": a + b, "-": a - b, "*": a * b}.get(word) if word != "/" else a / b
                )
            case _ if word.lstrip("-").isdigit():
                stack.append(int(word))
            case _:
                raise ValueError(f"unknown {word!r}")
    return stack
