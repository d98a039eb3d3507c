"""Figures as files: SVGs that are small, equal from every process and like what was drawn, and PNGs beside them."""

import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from dpdescent.replication.commands import draw
from dpdescent.replication.drawing import figures, slim

ROOT = Path(__file__).resolve().parents[2]
# Of a committed SVG, in bytes. A figure of more marks than MOST_SHAPES has a raster and stays below it; the contest's
# maps have a thousand numbers, which are letters.
LARGEST = 450_000
RASTER = re.compile(r'"data:image/png;base64,([^"]+)"')


@pytest.fixture(autouse=True)
def _style() -> object:
    figures.use_style()
    yield
    plt.close("all")


def points(count: int, colors: int = 1) -> Figure:
    """A panel of so many marks in each colour, with a curve of two points, a title and a legend."""
    figure, axes = figures.panels()
    rng = np.random.default_rng(3)
    for number in range(colors):
        axes.plot(*rng.normal(size=(2, count // colors)), "o", color=f"C{number}", label=f"marks {number}")
    axes.plot([-3, 3], [-3, 3], color=figures.GREY, label="curve")
    axes.set_title("marks")
    figures.legend_below(figure, [axes], columns=3)
    return figure


def written(figure: Figure, folder: Path, name: str = "a.svg") -> str:
    figures.save(figure, folder / name)
    return (folder / name).read_text(encoding="utf-8")


def rasters(text: str) -> list[Image.Image]:
    return [Image.open(io.BytesIO(base64.b64decode(found))) for found in RASTER.findall(text)]


def test_few_marks_are_shapes_and_thousands_are_one_raster(tmp_path: Path) -> None:
    few, many = written(points(100), tmp_path), written(points(10_000), tmp_path)
    assert rasters(few) == []
    assert few.count("<use") > 100
    (raster,) = rasters(many)
    # Of a panel 5 inches wide.
    assert figures.RASTER_DPI * 4 < raster.width < figures.RASTER_DPI * 5
    # Letters, axes and curves stay shapes; marks are none, but for the legend's.
    assert 0 < many.count("<use") < few.count("<use") - 50
    assert "stroke:#666666" in many
    assert len(many) < LARGEST


def test_a_raster_has_a_palette_and_the_same_bytes_again(tmp_path: Path) -> None:
    first, second = (written(points(10_000, colors=8), tmp_path) for _ in range(2))
    assert first == second
    (raster,) = rasters(first)
    assert raster.mode == "P"
    seen = np.asarray(raster.convert("RGBA"))
    assert (seen[..., 3] == 0).any(), "what lies below shows through"
    hues = {tuple(pixel) for pixel in seen[seen[..., 3] == 255][:, :3].tolist()}
    assert len(hues) >= 8


def test_a_picture_of_few_colours_keeps_them_all() -> None:
    pixels = np.zeros((4, 50, 4), dtype=np.uint8)
    pixels[...] = np.arange(200).reshape(4, 50, 1)
    assert (quantised(pixels) == pixels * (pixels[..., 3:] > 0)).all()


def test_a_picture_of_many_colours_keeps_hues_and_sixteen_opacities() -> None:
    pixels = np.zeros((8, 256, 4), dtype=np.uint8)
    pixels[..., :3] = np.arange(0, 160, 20, dtype=np.uint8).reshape(8, 1, 1)
    pixels[..., 3] = np.arange(256, dtype=np.uint8)
    found = quantised(pixels)
    clear = found[..., 3] > 0
    assert (found[clear][:, :3] == pixels[clear][:, :3]).all()
    assert np.abs(found[..., 3].astype(int) - pixels[..., 3]).max() <= 9
    assert len(np.unique(found[..., 3])) == slim.OPACITIES


def test_a_picture_of_endless_colours_gets_a_palette_of_like_ones() -> None:
    ramp = np.linspace(0, 255, 64).astype(np.uint8)
    pixels = np.full((64, 64, 4), 255, dtype=np.uint8)
    pixels[..., 0], pixels[..., 1] = ramp, ramp[:, None]
    assert np.abs(quantised(pixels).astype(int) - pixels).max() < 40


def quantised(pixels: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    address = f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"
    picture = f'<svg xmlns="{slim.SVG}" xmlns:xlink="{slim.LINK}"><image xlink:href="{address}"/></svg>'
    (raster,) = rasters(slim.slim(picture))
    assert raster.mode == "P"
    return np.asarray(raster.convert("RGBA"))


DRAWN = f"""<svg xmlns="{slim.SVG}" xmlns:xlink="{slim.LINK}" width="9pt">
 <metadata/>
 <!-- a remark -->
 <defs>
  <path id="m4a" d="M 0 3 \nL 0.123456 4 \nL 5 4 \nL 6 5 \nL 7 -0.001 \nz\n"
   style="stroke: #000000; stroke-width: 0.8"/>
 </defs>
 <g id="line2d_1"><g clip-path="url(#p77)">
  <use xlink:href="#m4a" x="1.006" y="2" style="fill: #0072b2; stroke: #000000; stroke-width: 0.8"/></g></g>
 <g id="line2d_2"><g clip-path="url(#p77)">
  <use xlink:href="#m4a" x="3" y="4" style="fill: #0072b2; stroke: #000000; stroke-width: 0.8; opacity: 0.5"/>
  <use xlink:href="#m4a" x="5" y="6" style="fill: #0072b2; stroke: #d55e00; stroke-width: 0.8"/>
  <use xlink:href="#m4a" transform="translate(63.623047 0)"/>
  <use xlink:href="#m4a" transform="translate(-1.5 0.3125) scale(0.015625)"/></g></g>
 <defs><clipPath id="p77"><rect x="1.23456" y="2" width="3" height="4"/></clipPath></defs>
</svg>"""


def test_what_is_said_twice_is_said_once_and_nothing_else_is_lost() -> None:
    assert slim.slim(DRAWN).splitlines()[1:] == [
        "<defs>", '<path d="M0 3L0.12 4H5L6 5 7 0z" id="i1" style="stroke:#000000;stroke-width:0.8" />', "</defs>",
        '<g clip-path="url(#i0)">', '<use xlink:href="#i1" x="1.01" y="2" style="fill:#0072b2" />',
        '<use xlink:href="#i1" x="3" y="4" style="fill:#0072b2;opacity:0.5" />',
        '<use xlink:href="#i1" x="5" y="6" style="fill:#0072b2;stroke:#d55e00" />',
        '<use xlink:href="#i1" x="63.62" />',
        '<use xlink:href="#i1" transform="translate(-1.5 0.31) scale(0.015625)" />', "</g>",
        "<defs>", '<clipPath id="i0">', '<rect x="1.23" y="2" width="3" height="4" />', "</clipPath>", "</defs>",
        "</svg>",
    ]  # fmt: skip


def test_neighbours_that_look_alike_are_dressed_together() -> None:
    uses = "".join(f'<use xlink:href="#m" x="{x}" y="1" style="fill: #0072b2; opacity: 0.{x}"/>' for x in (1, 2, 3))
    text = slim.slim(f'<svg xmlns="{slim.SVG}" xmlns:xlink="{slim.LINK}">{uses}<path id="m" d="M 0 0"/></svg>')
    # Opacity stays with each, because that of a group is another one.
    assert text.count("fill:#0072b2") == 1
    assert [text.count(f"opacity:0.{x}") for x in (1, 2, 3)] == [1, 1, 1]


def test_a_figure_looks_as_it_was_drawn(tmp_path: Path) -> None:
    """All shapes are there, in their order, each with the look that it inherits."""
    figure = points(60, colors=3)
    figures.save(figure, tmp_path / "a.svg")
    stream = io.StringIO()
    figure.savefig(stream, format="svg", dpi=figures.RASTER_DPI, metadata={"Date": None, "Creator": None})
    drawn, kept = (ElementTree.fromstring(text) for text in (stream.getvalue(), (tmp_path / "a.svg").read_text()))
    assert list(shown(kept)) == list(shown(drawn))
    assert len((tmp_path / "a.svg").read_text()) < 0.6 * len(stream.getvalue())


INHERITED = ("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray")


def shown(root: ElementTree.Element) -> list[tuple[object, ...]]:
    """Every shape that is seen with its place to a hundredth, whether it is clipped, and its look."""
    paths = {f"#{each.get('id')}": each for each in root.iter(f"{{{slim.SVG}}}path") if each.get("id")}

    def of(element: ElementTree.Element, look: dict[str, str], clipped: bool) -> list[tuple[object, ...]]:
        if element.tag == f"{{{slim.SVG}}}defs":
            return []
        own = dict(pair.replace(" ", "").split(":") for pair in element.get("style", "").split(";") if pair.strip())
        look = {key: value for key, value in (look | own).items() if key in INHERITED or key in own}
        clipped = clipped or element.get("clip-path") is not None
        found: list[tuple[object, ...]] = []
        if element.tag in (f"{{{slim.SVG}}}use", f"{{{slim.SVG}}}path"):
            path = paths.get(element.get(slim.HREF, ""), element)
            shape = dict(pair.replace(" ", "").split(":") for pair in path.get("style", "").split(";") if pair.strip())
            place = re.findall(r"-?[\d.]+", element.get("transform", "")) or [element.get("x", 0), element.get("y", 0)]
            places = [round(float(number), 2) for number in (*place, 0)][:2]
            corners = len(re.findall(r"-?[\d.]+", path.get("d", "")))
            found.append((places, bool(corners), clipped, sorted((look | shape).items())))
        return found + [each for child in element for each in of(child, look, clipped)]

    return of(root, {}, False)


def test_no_committed_figure_is_large() -> None:
    sizes = {file: file.stat().st_size for file in (ROOT / "results").rglob("*.svg")}
    assert len(sizes) > 100
    assert {file: size for file, size in sizes.items() if size > LARGEST} == {}


def test_committed_pictures_are_drawings_alone() -> None:
    manifests = [*(ROOT / "results/paper").rglob("MANIFEST.sha256")]
    assert len(manifests) == 2
    assert not [line for file in manifests for line in file.read_text().splitlines() if line.endswith(".png")]


@pytest.mark.parametrize("seed", ["1", "2"])
def test_committed_figures_are_what_is_drawn_from_their_tables(seed: str) -> None:
    """Also with another order of sets; the first has names that the paper's order leaves open."""
    command = [sys.executable, "-m", "dpdescent.commands", "draw", "--check", "wang2026/ext_proof", "liang2025/fig08"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("2 figures compared from their tables\n", "")


def test_pictures_are_drawn_beside_the_figures_and_an_edited_figure_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("config", "src", "workflow", "Snakefile"):
        (tmp_path / name).symlink_to(ROOT / name)
    place = tmp_path / "results/paper/liang2025"
    place.mkdir(parents=True)
    for kind in ("csv", "svg"):
        shutil.copy(ROOT / f"results/paper/liang2025/fig08.{kind}", place)
    monkeypatch.chdir(tmp_path)
    for options, code in ((["liang2025"], 0), (["--check", "liang2025/fig08"], 0), (["liang2025/fig09"], 2)):
        with pytest.raises(SystemExit) as ended:
            draw.main(options, "dpdescent draw")
        assert (ended.value.code or 0) == code
    assert "no table of a figure 'liang2025/fig09'; did you mean 'liang2025/fig08'?" in capsys.readouterr().err
    assert (place / "fig08.png").read_bytes()[:4] == b"\x89PNG"
    (place / "fig08.svg").write_text("<svg/>")
    with pytest.raises(SystemExit, match="1"):
        draw.main(["--check"], "dpdescent draw")
    assert "DIFFERS  results/paper/liang2025/fig08.svg: draw it anew: dpdescent draw --svg" in capsys.readouterr().out
    assert (place / "fig08.svg").read_text() == "<svg/>"
    with pytest.raises(SystemExit, match="0"):
        draw.main(["--svg"], "dpdescent draw")
    assert (place / "fig08.svg").read_bytes() == (ROOT / "results/paper/liang2025/fig08.svg").read_bytes()


def test_drawn_figures_are_in_the_lists_of_hashes(tmp_path: Path) -> None:
    """Of the scale and of what is made on request; what no list has, such as a PNG, is in none."""
    drawn = [tmp_path / name for name in ("p/fig01.svg", "on_request/p/fig02.svg", "p/other.svg")]
    for file in drawn:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(file.name)
    (tmp_path / "MANIFEST.sha256").write_text("0  claims.csv\n0  p/fig01.svg\n")
    (tmp_path / "on_request/MANIFEST.sha256").write_text("0  p/fig02.svg\n")
    draw._list(tmp_path, drawn)
    hashed = [hashlib.sha256(file.name.encode()).hexdigest() for file in drawn]
    assert (tmp_path / "MANIFEST.sha256").read_text() == f"0  claims.csv\n{hashed[0]}  p/fig01.svg\n"
    assert (tmp_path / "on_request/MANIFEST.sha256").read_text() == f"{hashed[1]}  p/fig02.svg\n"
