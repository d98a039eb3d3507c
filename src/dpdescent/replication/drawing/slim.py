"""SVG files as they are committed: drawings of matplotlib in a third of the bytes, and equal from every process.

What is seen stays: elements, their order and their looks. Coordinates are rounded to hundredths of a point, which at a
width of 1280 pixels is a fiftieth of a pixel; looks that neighbours share are written once around them; names that
matplotlib makes by hashing floats, which differ between processors, are numbers in the order of their first use.
"""

import base64
import io
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.etree import ElementTree

import numpy as np
from PIL import Image

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
HREF = f"{{{LINK}}}href"
# Properties that no shape gets from a group: those that matplotlib's rule for all elements (`*`) sets, and opacity,
# because marks of a group may overlap.
OWN = ("stroke-linejoin", "stroke-linecap", "opacity")
# The fewest neighbours that get a group, because fewer gain nothing from it.
NEIGHBOURS = 3
COLOURS = 256
# Steps of opacity in a raster of more than COLOURS: edges of marks are single pixels, where 16 look as 256 do.
OPACITIES = 16

Element = ElementTree.Element
Look = dict[str, str]


def slim(text: str) -> str:
    """A shorter text for an SVG of matplotlib."""
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", LINK)
    root = ElementTree.fromstring(text)
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    _rename(root)
    strokes = {f"#{path.get('id')}": _look(path) for path in root.iter(_tag("path")) if path.get("id")}
    for element in root.iter():
        _shorten(element, strokes)
    _arrange(root)
    for element in root.iter():
        # One line per element, so that versions of a figure can be compared line by line.
        if element.tag != _tag("style"):
            element.text = "\n" if len(element) else None
        element.tail = "\n"
    return ElementTree.tostring(root, encoding="unicode")


def _tag(name: str) -> str:
    return f"{{{SVG}}}{name}"


def _rename(root: Element) -> None:
    """Numbers the names to which some element refers, and removes all others."""
    names: dict[str, str] = {}
    for element in root.iter():
        for key, value in element.attrib.items():
            refers = r"(?<=^#).+" if key == HREF else r"(?<=url\(#)[^)]+"
            element.set(key, re.sub(refers, lambda name: names.setdefault(name[0], f"i{len(names)}"), value))
    for element in root.iter():
        if (old := element.attrib.pop("id", None)) in names:
            element.set("id", names[str(old)])


def _shorten(element: Element, strokes: dict[str, Look]) -> None:
    """Writes the numbers and the look of an element shorter.

    Args:
        element: element of the tree.
        strokes: by reference, the looks of the shapes that are drawn repeatedly.
    """
    if (path := element.get("d")) is not None:
        element.set("d", _path(path))
    if (transform := element.get("transform")) is not None:
        if element.tag == _tag("use") and (alone := re.fullmatch(r"translate\((\S+)(?: (\S+))?\)", transform)):
            # For a letter of a word, the place of the shape says the same as the shift.
            del element.attrib["transform"]
            element.attrib |= {key: at for key, at in zip("xy", alone.groups(), strict=True) if at and float(at)}
        else:
            shift = re.compile(r"(?<=translate\()[^)]*")
            element.set("transform", shift.sub(lambda match: _joined(map(_rounded, match[0].split())), transform))
    for key in ("x", "y", "width", "height"):
        if element.tag not in (_tag("svg"), _tag("image")) and (value := element.get(key)) is not None:
            element.set(key, _rounded(value))
    look, drawn = _look(element), strokes.get(element.get(HREF, ""), {})
    _wear(element, {key: value for key, value in look.items() if drawn.get(key) != value})
    if element.tag == _tag("image"):
        element.set(HREF, _quantised(element.get(HREF, "")))


def _path(path: str) -> str:
    """The data of a path: rounded numbers, no command twice in a row, horizontal and vertical lines by one number."""
    last, place, parts = "", ("", ""), []
    for command, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        numbers = [_rounded(number) for number in text.split()]
        if command == "L" and place[0] == numbers[0]:
            command, written = "V", numbers[1:]
        elif command == "L" and place[1] == numbers[1]:
            command, written = "H", numbers[:1]
        else:
            written = numbers
        parts.append(_joined(["", *written]) if command == last and command in "LQCHV" else command + _joined(written))
        last, place = command, (numbers[-2], numbers[-1]) if numbers else ("", "")
    return "".join(parts)


def _joined(numbers: Iterable[str]) -> str:
    """Numbers joined as closely as possible: a minus sign separates two numbers as well as a space does."""
    return " ".join(numbers).replace(" -", "-")


def _rounded(number: str) -> str:
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _look(element: Element) -> Look:
    """The style of an element as a dictionary."""
    pairs = (declaration.split(":", 1) for declaration in element.get("style", "").split(";") if declaration.strip())
    return {key.strip(): value.strip() for key, value in pairs}


def _wear(element: Element, look: Look) -> None:
    element.attrib.pop("style", None)
    if look:
        element.set("style", ";".join(f"{key}:{value}" for key, value in look.items()))


def _arrange(element: Element) -> None:
    """Dissolves groups without attributes, and writes the clip and the look of neighbours once, in a group."""
    for child in element:
        _arrange(child)
    children = [inner for child in element for inner in (child if _says_nothing(child) else [child])]
    if element.tag in (_tag("svg"), _tag("g")):
        children = list(_dressed(_clipped(children)))
    element[:] = children


def _says_nothing(element: Element) -> bool:
    return element.tag == _tag("g") and not element.attrib


def _clipped(children: list[Element]) -> Iterator[Element]:
    """The children of an element, with neighbours that one shape clips in a group, unless they shift that shape."""
    for clip, run in groupby(children, lambda child: None if child.get("transform") else child.get("clip-path")):
        members = list(run)
        if clip is None or len(members) == 1:
            yield from members
            continue
        inner: list[Element] = []
        for member in members:
            del member.attrib["clip-path"]
            inner += member if _says_nothing(member) else [member]
        group = Element(_tag("g"), {"clip-path": clip})
        group[:] = _dressed(inner)
        yield group


def _dressed(children: Iterable[Element]) -> Iterator[Element]:
    """The children of an element, with neighbouring shapes of one look in a group that has this look."""
    for shared, run in groupby(children, _shared):
        members = list(run)
        if not shared or len(members) < NEIGHBOURS:
            yield from members
            continue
        for member in members:
            _wear(member, {key: value for key, value in _look(member).items() if key in OWN})
        group = Element(_tag("g"), {"style": ";".join(f"{key}:{value}" for key, value in shared)})
        group[:] = members
        yield group


def _shared(element: Element) -> tuple[tuple[str, str], ...]:
    """The look that a group may have in place of a shape; empty for a shape to which others refer, and for no shape."""
    if element.tag not in (_tag("path"), _tag("use")) or element.get("clip-path") or element.get("id"):
        return ()
    return tuple((key, value) for key, value in _look(element).items() if key not in OWN)


def _quantised(address: str) -> str:
    """An embedded PNG with a palette, by a method that gives the same bytes for the same pixels."""
    kind, _, content = address.partition(",")
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(content))).convert("RGBA"))
    palette, places = _palette(pixels)
    if len(palette) > COLOURS:
        step = 255 / (OPACITIES - 1)
        pixels = pixels.copy()
        pixels[..., 3] = np.rint(np.rint(pixels[..., 3] / step) * step)
        palette, places = _palette(pixels)
    if len(palette) > COLOURS:
        few = Image.fromarray(pixels).quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        palette, places = _palette(np.asarray(few.convert("RGBA")))
    drawn = Image.fromarray(places.reshape(pixels.shape[:2]).astype(np.uint8), "P")
    drawn.putpalette(palette[:, :3].tobytes())
    written = io.BytesIO()
    drawn.save(written, "PNG", optimize=True, transparency=palette[:, 3].tobytes())
    return f"{kind},{base64.b64encode(written.getvalue()).decode()}"


def _palette(pixels: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> tuple[np.ndarray, np.ndarray]:
    """The different colours of a picture, invisible ones counted as one, and for each pixel the place of its colour."""
    seen = np.where(pixels[..., 3:] > 0, pixels, 0).reshape(-1, 4)
    return np.unique(seen, axis=0, return_inverse=True)
