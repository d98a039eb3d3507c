// Curves of a figure to look at, in its own panels, words and colours: values with bars under the pointer or by arrow
// keys, series to hide, linear and logarithmic axes. The picture above stays as it is; points lie in a script of the
// paper's own.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg", WIDEST = 760, NARROWEST = 300, HEIGHT = 400, RIGHT = 16, TOP = 10, ROW = 17, LETTER = 7.3, SPACE = 15;
  const DASHES = ["", "7 4", "2 3", "8 3 2 3"];
  // Marks about the origin, as the figures have them; any other is a disc.
  const MARKS = {
    "s": "M-3.5-3.5H3.5V3.5H-3.5z", "^": "M0-4.5L4.3 3.5H-4.3z", "v": "M0 4.5L4.3-3.5H-4.3z", "<": "M-4.5 0L3.5-4.3V4.3z", ">": "M4.5 0L-3.5-4.3V4.3z",
    "D": "M0-4.8L4.8 0L0 4.8L-4.8 0z", "P": "M-1.4-4.2H1.4V-1.4H4.2V1.4H1.4V4.2H-1.4V1.4H-4.2V-1.4H-1.4z", "X": "M-4-2L-2-4L0-2L2-4L4-2L2 0L4 2L2 4L0 2L-2 4L-4 2L-2 0z",
    "*": "M0-6L1.5-2H5.7L2.3.6L3.5 4.8L0 2.3L-3.5 4.8L-2.3.6L-5.7-2H-1.5z", "x": "M-3.5-3.5L3.5 3.5M3.5-3.5L-3.5 3.5", "+": "M-4 0H4M0-4V4", "|": "M0-5V5", "_": "M-5 0H5",
  };
  const DISC = "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", POINT = "M-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z";
  const told = (value) => (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3) ? value.toExponential(2) : String(Number(value.toPrecision(4))));
  // Scripts are `_{...}` and `^{...}`; a plain text has no braces.
  const plain = (text) => text.replace(/([_^])\{([^{}]*)\}/g, (_, script, inside) => `${script}${inside.length === 1 || /^\(.*\)$/.test(inside) ? inside : `(${inside})`}`);
  // How many letters a text takes; scripts are letters too.
  const letters = (text) => text.replace(/[_^{}]/g, "").length;

  function element(name, attributes = {}, text = "") {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  }

  function drawn(name, attributes, parent) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  }

  // Text with its scripts low and high, for a page, or for a drawing.
  function write(parent, text) {
    const drawing = parent.namespaceURI === SVG;
    text.split(/([_^]\{[^{}]*\})/).filter(Boolean).forEach((part) => {
      const [, script, inside] = /^([_^])\{([^{}]*)\}$/.exec(part) || [];
      if (!script) parent.append(part);
      else if (drawing) drawn("tspan", {"baseline-shift": script === "_" ? "sub" : "super", "font-size": "75%"}, parent).textContent = inside;
      else parent.append(element(script === "_" ? "sub" : "sup", {}, inside));
    });
    return parent;
  }

  // Labels of one axis, all plain or all with a power of ten.
  function labels(ticks) {
    if (ticks.every((tick) => tick === 0 || (Math.abs(tick) >= 1e-3 && Math.abs(tick) < 1e5))) return ticks.map((tick) => String(Number(tick.toPrecision(6))).replace("-", "−"));
    return ticks.map((tick) => {
      if (tick === 0) return "0";
      const power = Math.floor(Math.log10(Math.abs(tick)) + 1e-9), factor = Number((tick / 10 ** power).toPrecision(4));
      return `${factor === 1 ? "" : factor === -1 ? "−" : `${String(factor).replace("-", "−")}·`}10^{${String(power).replace("-", "−")}}`;
    });
  }

  // A scale that is told by pairs of values and their places, with straight lines between them.
  const bent = (pairs) => (value) => {
    let k = pairs.findIndex(([at]) => at >= value);
    k = Math.max(1, k < 0 ? pairs.length - 1 : k);
    const [[a, p], [b, q]] = [pairs[k - 1], pairs[k]];
    return p + (q - p) * (value - a) / (b - a || 1);
  };

  // Ticks of a linear or logarithmic axis, at most so many: round steps, or decades, with 2 and 5 between them where these are few.
  function rounds(low, high, logarithmic, most) {
    const ticks = [];
    if (logarithmic) {
      const [from, to] = [low, high].map(Math.log10), every = Math.max(1, Math.ceil((to - from) / most)), factors = to - from < 1.2 || 3 * (to - from) <= most + 2 ? [1, 2, 5] : [1];
      for (let k = Math.floor(from); k <= to; k += every) for (const factor of factors) ticks.push(Number(`${factor}e${k}`));
    }
    const inside = ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
    if (inside.length > 1) return inside;
    const step = 10 ** Math.floor(Math.log10((high - low) / most)), wide = [1, 2, 5, 10].map((factor) => factor * step).find((each) => (high - low) / each <= most);
    const even = [];
    for (let k = Math.ceil(low / wide - 1e-9); k * wide <= high * (1 + 1e-12) + 1e-300; k += 1) even.push(k * wide);
    return even;
  }

  // An axis from values to places: the figure's own, or one that fits the values where `own` is false.
  function axis(known, values, logarithmic, own, from, to, most) {
    const fits = (value) => Number.isFinite(value) && (!logarithmic || value > 0), usable = values.filter(fits);
    const bend = known.bend ? bent(known.bend) : logarithmic ? Math.log10 : (value) => value;
    let [first, last] = own || !usable.length ? known.limits : [Math.min(...usable), Math.max(...usable)];
    if (logarithmic && !(Math.min(first, last) > 0)) [first, last] = usable.length ? [Math.min(...usable), Math.max(...usable)] : [1, 10];
    if (!own || first === last) {
      const room = 0.04 * (bend(last) - bend(first)) || 0.5;
      if (logarithmic) [first, last] = [first * 10 ** -room, last * 10 ** room]; else [first, last] = [first - room, last + room];
    }
    const [start, end] = [first, last].map(bend), place = (value) => from + (to - from) * (bend(value) - start) / (end - start);
    const at = known.ticks ? known.ticks.map(([tick]) => tick) : rounds(Math.min(first, last), Math.max(first, last), logarithmic, most);
    const texts = known.ticks ? known.ticks.map(([, text]) => text) : labels(at);
    return {place, fits, ticks: at.map((tick, k) => [place(tick), texts[k]])};
  }

  // A value as the axis tells it: by its word, or as a number.
  function said(known, value) {
    const words = known.ticks && !known.bend && known.ticks.every(([at]) => Number.isInteger(at)) && known.ticks.some(([at, text]) => Number(text.replace("−", "-")) !== at);
    if (!words) return told(value * (known.factor || 1));
    return plain(known.ticks.reduce((best, tick) => (Math.abs(tick[0] - value) < Math.abs(best[0] - value) ? tick : best))[1]);
  }

  // Words in lines of at most so many letters.
  const broken = (text, most) => text.split(" ").reduce((lines, word) => {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    return lines.length && letters(longer) <= most ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, []);

  let drawings = 0;

  class Plot {
    constructor(figure, panels, words) {
      this.panels = panels;
      this.clip = `curves-clip-${drawings += 1}`;
      this.words = words;
      this.box = element("div", {class: "curves", role: "group", "aria-label": `Curves of ${words}`});
      this.controls = element("p", {class: "curves-controls"});
      this.up = element("p", {class: "curves-up"});
      this.along = element("p", {class: "curves-along"});
      this.svg = document.createElementNS(SVG, "svg");
      this.svg.setAttribute("role", "img");
      this.svg.setAttribute("tabindex", "0");
      this.output = element("output", {"aria-live": "polite"}, "Point at a curve, or use the arrow keys.");
      this.legend = element("ul", {class: "curves-legend", "aria-label": "Series"});
      this.box.append(this.controls, this.up, this.svg, this.along, this.output, this.legend);
      figure.append(this.box);
      this.svg.addEventListener("pointermove", (event) => this.point(event));
      this.svg.addEventListener("keydown", (event) => this.key(event));
      this.choose(panels[0]);
      // A letter is as large on a phone as elsewhere, because the drawing is as wide as its place.
      new ResizeObserver(() => { if (this.room() !== this.width) this.draw(); }).observe(this.box);
    }

    room() { return Math.round(Math.max(NARROWEST, Math.min(WIDEST, this.controls.clientWidth || WIDEST))); }

    seen() { return this.panel.curves.filter((curve) => this.shown.has(curve)); }

    choose(panel) {
      this.panel = panel;
      this.shown = new Set(panel.curves);
      this.logarithmic = {x: panel.x.scale === "log", y: panel.y.scale === "log"};
      this.at = undefined;
      this.svg.setAttribute("aria-label", `${this.words}${panel.title ? `, ${plain(panel.title)}` : ""}: ${plain(panel.y.label)} against ${plain(panel.x.label)}; arrow keys go along curves and between them`);
      this.write();
      this.draw();
    }

    write() {
      this.controls.replaceChildren();
      if (this.panels.length > 1) {
        const label = element("label", {}, "panel "), select = element("select", {name: "panel"});
        this.panels.forEach((panel, k) => select.append(element("option", {value: k}, plain(panel.title) || `${k + 1}`)));
        select.value = this.panels.indexOf(this.panel);
        select.addEventListener("change", () => { this.choose(this.panels[select.value]); this.controls.querySelector("select").focus(); });
        label.append(select);
        this.controls.append(label);
      }
      for (const name of ["x", "y"]) {
        if (this.panel[name].bend || this.panel[name].ticks) continue;
        const label = element("label"), box = element("input", {type: "checkbox", name: `log-${name}`});
        box.checked = this.logarithmic[name];
        box.addEventListener("change", () => { this.logarithmic[name] = box.checked; this.draw(); });
        label.append(box, ` logarithmic ${name}`);
        this.controls.append(label);
      }
      for (const [place, name] of [[this.up, "y"], [this.along, "x"]]) {
        place.replaceChildren();
        write(place, this.panel[name].label);
      }
      // Curves of one name and look are one entry.
      const groups = new Map();
      for (const curve of this.panel.curves) {
        const look = [curve.name, curve.color, curve.dash, curve.mark, curve.hollow, curve.width].join();
        groups.set(look, [...(groups.get(look) || []), curve]);
      }
      this.legend.replaceChildren(...[...groups.values()].map((curves) => this.entry(curves)));
    }

    entry(curves) {
      const [curve] = curves, item = element("li"), button = element("button", {type: "button", "aria-pressed": "true"});
      const mark = document.createElementNS(SVG, "svg");
      for (const [key, value] of Object.entries({viewBox: "0 0 30 14", "aria-hidden": "true"})) mark.setAttribute(key, value);
      if (curve.dash >= 0) drawn("path", {d: "M0 7H30", fill: "none", stroke: curve.color, "stroke-width": curve.width + 0.6, "stroke-dasharray": DASHES[curve.dash]}, mark);
      if (curve.mark) this.dot(curve, 15, 7, mark);
      button.append(mark);
      write(button, curve.name);
      button.addEventListener("click", () => {
        const hide = this.shown.has(curve);
        for (const each of curves) if (hide) this.shown.delete(each); else this.shown.add(each);
        button.setAttribute("aria-pressed", String(!hide));
        this.draw();
      });
      item.append(button);
      return item;
    }

    draw() {
      const {panel} = this, seen = this.seen(), points = seen.flatMap((curve) => curve.points), own = (name) => Boolean(panel[name].bend || panel[name].ticks) || (seen.length === panel.curves.length && this.logarithmic[name] === (panel[name].scale === "log"));
      const extent = (across) => seen.flatMap((curve) => curve.points.flatMap(([x, y, ...bar]) => [across ? x : y, ...(Boolean(curve.across) === across ? bar : [])]));
      this.width = this.room();
      this.height = Math.max(HEIGHT, panel.y.ticks ? ROW * panel.y.ticks.length + 60 : 0);
      const make = (name, from, to, most) => axis(panel[name], points.length ? extent(name === "x") : [], this.logarithmic[name], own(name), from, to, most);
      const long = (ticks) => Math.max(0, ...ticks.map(([, text]) => LETTER * letters(text)));
      // Places of both axes follow from how long the labels of ticks are.
      const left = Math.min(0.42 * this.width, 16 + long(make("y", 1, 0, 7).ticks));
      this.across = make("x", left, this.width - RIGHT, this.width / 90);
      const room = Math.max(6, Math.floor((this.width - RIGHT - left) / (LETTER * this.across.ticks.length)));
      const lines = this.across.ticks.map(([, text]) => (panel.x.ticks ? broken(text, room) : [text])), bottom = this.height - 14 - SPACE * Math.max(1, ...lines.map((each) => each.length));
      this.rising = make("y", bottom, TOP, 7);
      this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
      this.svg.replaceChildren();
      drawn("rect", {x: left, y: TOP - 4, width: this.width - RIGHT - left + 4, height: bottom - TOP + 8}, drawn("clipPath", {id: this.clip}, this.svg));
      const frame = drawn("g", {class: "curves-axes"}, this.svg);
      drawn("path", {d: `M${left} ${TOP}V${bottom}H${this.width - RIGHT}`, fill: "none"}, frame);
      this.across.ticks.forEach(([x], k) => {
        drawn("path", {d: `M${x} ${TOP}V${bottom}`}, frame);
        lines[k].forEach((text, row) => write(drawn("text", {x, y: bottom + 18 + SPACE * row, "text-anchor": "middle"}, frame), text));
      });
      const most = Math.floor((left - 10) / LETTER);
      for (const [y, text] of this.rising.ticks) {
        drawn("path", {d: `M${left} ${y}H${this.width - RIGHT}`}, frame);
        const cut = letters(text) > most, label = write(drawn("text", {x: left - 8, y: y + 4, "text-anchor": "end"}, frame), cut ? `${plain(text).slice(0, most - 1)}…` : text);
        if (cut) drawn("title", {}, label).textContent = plain(text);
      }
      const inside = drawn("g", {"clip-path": `url(#${this.clip})`}, this.svg);
      for (const curve of seen) this.line(curve, inside);
      this.mark = drawn("circle", {r: 7, class: "curves-mark", visibility: "hidden"}, this.svg);
      if (this.at && this.shown.has(this.at.curve)) this.tell(this.at.curve, this.at.place);
    }

    dot(curve, x, y, parent) {
      const open = "x+|_".includes(curve.mark);
      drawn("path", {d: MARKS[curve.mark] || (curve.mark === "." ? POINT : DISC), transform: `translate(${x} ${y})`, fill: open ? "none" : curve.hollow ? "#fff" : curve.color, stroke: open || curve.hollow ? curve.color : "none", "stroke-width": 1.3}, parent);
    }

    line(curve, parent) {
      const {across, rising} = this, group = drawn("g", {stroke: curve.color, fill: "none", "stroke-width": curve.width + 0.4, "data-name": plain(curve.name)}, parent);
      const fitting = curve.points.filter(([x, y]) => across.fits(x) && rising.fits(y)).map(([x, y, ...bar]) => [across.place(x).toFixed(1), rising.place(y).toFixed(1), ...bar]);
      const band = (curve.band || []).filter(([x, ...ends]) => across.fits(x) && ends.every(rising.fits)), corner = (k) => (point) => `${across.place(point[0]).toFixed(1)} ${rising.place(point[k]).toFixed(1)}`;
      if (band.length) drawn("path", {d: `M${[...band.map(corner(1)), ...band.reverse().map(corner(2))].join("L")}z`, fill: curve.color, "fill-opacity": curve.shade, stroke: "none"}, group);
      if (curve.dash >= 0) drawn("path", {d: fitting.map(([x, y], k) => `${k ? "L" : "M"}${x} ${y}`).join(""), "stroke-dasharray": DASHES[curve.dash]}, group);
      const bars = curve.across ? across : rising;
      for (const [x, y, ...bar] of fitting) {
        // A bar that reaches below all of a logarithmic axis ends at its foot.
        const [low, high] = bar.map((end) => (bars.fits(end) ? bars.place(end) : curve.across ? 0 : this.height).toFixed(1));
        if (bar.length) drawn("path", {d: curve.across ? `M${low} ${y}H${high}` : `M${x} ${low}V${high}`, "stroke-width": 1}, group);
        if (curve.mark) this.dot(curve, x, y, group);
      }
    }

    tell(curve, place) {
      const [x, y, low, high] = curve.points[place], {panel} = this, named = (name, value) => `${panel[name].label ? `${plain(panel[name].label)} = ` : ""}${said(panel[name], value)}`;
      const [value, at] = curve.across ? ["x", "y"] : ["y", "x"], bar = low === undefined ? "" : `, bar [${[low, high].map((end) => said(panel[value], end)).join(", ")}]`;
      this.at = {curve, place};
      const shown = this.across.fits(x) && this.rising.fits(y);
      this.mark.setAttribute("visibility", shown ? "visible" : "hidden");
      if (shown) {
        this.mark.setAttribute("cx", this.across.place(x));
        this.mark.setAttribute("cy", this.rising.place(y));
      }
      this.output.value = `${plain(curve.name)}: ${said(panel[value], value === "x" ? x : y)}${bar} at ${named(at, at === "y" ? y : curve.at ? curve.at[place] : x)}`;
    }

    point(event) {
      const box = this.svg.getBoundingClientRect(), scale = this.width / box.width, px = (event.clientX - box.left) * scale, py = (event.clientY - box.top) * scale;
      let best = [Infinity];
      for (const curve of this.seen()) {
        curve.points.forEach(([x, y], place) => {
          if (!this.across.fits(x) || !this.rising.fits(y)) return;
          const far = Math.hypot(this.across.place(x) - px, this.rising.place(y) - py);
          if (far < best[0]) best = [far, curve, place];
        });
      }
      if (best[1]) this.tell(best[1], best[2]);
    }

    key(event) {
      const step = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[event.key], seen = this.seen();
      if (!step || !seen.length) return;
      event.preventDefault();
      if (!this.at || !this.shown.has(this.at.curve)) {
        this.tell(seen[0], 0);
        return;
      }
      const turned = seen[(seen.indexOf(this.at.curve) + step[0] + seen.length) % seen.length];
      this.tell(turned, Math.min(turned.points.length - 1, Math.max(0, this.at.place + step[1])));
    }
  }

  // The points of a paper, once; a page that is opened from disk may load a script, and no other file.
  let loading;
  const load = (paper) => {
    // A page by itself has them in it.
    if (window.dpdescentCurves) return Promise.resolve(window.dpdescentCurves);
    loading ||= new Promise((done, failed) => {
      const script = element("script", {src: `curves-${paper}.js`});
      script.addEventListener("load", () => done(window.dpdescentCurves));
      script.addEventListener("error", failed);
      document.head.append(script);
    });
    return loading;
  };

  for (const figure of document.querySelectorAll("figure[data-curves]")) {
    const [paper, name] = figure.dataset.curves.split("/"), words = figure.dataset.words;
    const button = element("button", {type: "button", class: "curves-open", "aria-expanded": "false"}, "Look at the curves");
    button.addEventListener("click", async () => {
      const open = figure.querySelector(".curves");
      if (open) open.hidden = !open.hidden; else new Plot(figure, (await load(paper))[name], words);
      button.setAttribute("aria-expanded", String(!figure.querySelector(".curves").hidden));
    });
    figure.append(button);
  }
})();
