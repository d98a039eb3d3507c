// Curves of a figure to look at: values with intervals under the pointer or by arrow keys, series and variants to hide and
// to add, linear and logarithmic axes. The picture above stays as it is; points lie in a script of the paper's own.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg", WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 30, TOP = 12, BOTTOM = 46;
  const COLORS = ["#0b7abf", "#d55e00", "#009e73", "#c4609c", "#b8860b", "#3aa0d8", "#8c6bb1", "#7f7f7f"], DASHES = ["", "7 4", "2 3"];
  // Curves that are shown at first; others wait in the list.
  const AT_FIRST = 8;
  const told = (value) => (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3) ? value.toExponential(2) : String(Number(value.toPrecision(4))));

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

  // An axis from values to places, and its ticks: powers of ten, or round steps.
  function axis(values, logarithmic, from, to) {
    const usable = values.filter((value) => Number.isFinite(value) && (!logarithmic || value > 0)), bend = logarithmic ? Math.log10 : (value) => value;
    let [low, high] = usable.length ? [Math.min(...usable), Math.max(...usable)].map(bend) : [0, 1];
    if (low === high) [low, high] = [low - 0.5, high + 0.5];
    const place = (value) => from + (to - from) * (bend(value) - low) / (high - low);
    const ticks = [];
    if (logarithmic) {
      const every = Math.max(1, Math.ceil((high - low) / 7));
      for (let k = Math.ceil(low); k <= high; k += every) ticks.push(10 ** k);
      if (ticks.length < 2) for (const factor of [1, 2, 5]) for (let k = Math.floor(low); k <= high; k += 1) if (bend(factor * 10 ** k) >= low && bend(factor * 10 ** k) <= high) ticks.push(factor * 10 ** k);
    } else {
      const step = 10 ** Math.floor(Math.log10((high - low) / 4)), wide = [1, 2, 5, 10].map((factor) => factor * step).find((each) => (high - low) / each <= 6);
      for (let k = Math.ceil(low / wide); k * wide <= high; k += 1) ticks.push(k * wide);
    }
    return {place, ticks: [...new Set(ticks)], fits: (value) => Number.isFinite(value) && (!logarithmic || value > 0)};
  }

  const spread = (values) => {
    const positive = values.filter((value) => value > 0);
    return positive.length > 0.9 * values.length && Math.max(...positive) > 30 * Math.min(...positive);
  };

  class Plot {
    constructor(figure, curves, words) {
      const names = (curve) => [...new Set(curves.filter((each) => each.panel === curve.panel).map((each) => each.name))];
      // A variant has the colour of its series.
      this.curves = curves.map((curve) => {
        const k = names(curve).indexOf(curve.name), label = curve.variant === "main" ? curve.name : `${curve.name} (${curve.variant})`;
        return {...curve, label, color: COLORS[k % COLORS.length], dash: curve.variant === "main" ? DASHES[Math.floor(k / COLORS.length) % 2] : DASHES[2]};
      });
      this.panels = [...new Set(curves.map((curve) => curve.panel))];
      this.panel = this.panels[0];
      this.box = element("div", {class: "curves", role: "group", "aria-label": `Curves of ${words}`});
      this.controls = element("p", {class: "curves-controls"});
      this.svg = document.createElementNS(SVG, "svg");
      for (const [key, value] of Object.entries({viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", tabindex: "0", "aria-label": `${words}: arrow keys go along curves and between them`})) this.svg.setAttribute(key, value);
      this.output = element("output", {"aria-live": "polite"}, "Point at a curve, or use the arrow keys.");
      this.legend = element("ul", {class: "curves-legend", "aria-label": "Series"});
      this.box.append(this.controls, this.svg, this.output, this.legend);
      figure.append(this.box);
      this.svg.addEventListener("pointermove", (event) => this.point(event));
      this.svg.addEventListener("keydown", (event) => this.key(event));
      this.choose(this.panel);
    }

    mine() { return this.curves.filter((curve) => curve.panel === this.panel); }

    seen() { return this.mine().filter((curve) => this.shown.has(curve)); }

    choose(panel) {
      this.panel = panel;
      const mine = this.mine(), main = mine.filter((curve) => curve.variant === "main");
      this.shown = new Set((main.length ? main : mine).slice(0, AT_FIRST));
      this.x = spread(mine.flatMap((curve) => curve.points.map(([x]) => x)));
      this.y = spread(mine.flatMap((curve) => curve.points.map(([, y]) => y)));
      this.at = undefined;
      this.write();
      this.draw();
    }

    write() {
      this.controls.replaceChildren();
      if (this.panels.length > 1) {
        const label = element("label", {}, "panel "), select = element("select");
        for (const name of this.panels) select.append(element("option", {value: name}, name || "–"));
        select.value = this.panel;
        select.addEventListener("change", () => { this.choose(select.value); this.controls.querySelector("select").focus(); });
        label.append(select);
        this.controls.append(label);
      }
      for (const name of ["x", "y"]) {
        const label = element("label"), box = element("input", {type: "checkbox", name: `log-${name}`});
        box.checked = this[name];
        box.addEventListener("change", () => { this[name] = box.checked; this.draw(); });
        label.append(box, ` logarithmic ${name}`);
        this.controls.append(label);
      }
      this.legend.replaceChildren(...this.mine().filter((curve) => curve.variant === "main" || this.shown.has(curve)).map((curve) => this.entry(curve)));
      const others = this.mine().filter((curve) => curve.variant !== "main" && !this.shown.has(curve));
      if (others.length) this.controls.append(this.adder(others));
    }

    // A variant that is added stays in the legend.
    adder(others) {
      const label = element("label", {}, "add a variant "), select = element("select", {name: "variant"});
      select.append(element("option", {value: ""}, `${others.length} more`));
      others.forEach((curve, k) => select.append(element("option", {value: k}, curve.label)));
      select.addEventListener("change", () => {
        if (select.value === "") return;
        this.shown.add(others[select.value]);
        this.write();
        this.draw();
        this.controls.querySelector("[name=variant]")?.focus();
      });
      label.append(select);
      return label;
    }

    entry(curve) {
      const item = element("li"), button = element("button", {type: "button", "aria-pressed": String(this.shown.has(curve))});
      const mark = document.createElementNS(SVG, "svg");
      for (const [key, value] of Object.entries({viewBox: "0 0 26 8", "aria-hidden": "true"})) mark.setAttribute(key, value);
      drawn("path", {d: "M0 4H26", stroke: curve.color, "stroke-width": 3, "stroke-dasharray": curve.dash}, mark);
      button.append(mark, curve.label);
      button.addEventListener("click", () => {
        if (!this.shown.delete(curve)) this.shown.add(curve);
        button.setAttribute("aria-pressed", String(this.shown.has(curve)));
        this.draw();
      });
      item.append(button);
      return item;
    }

    draw() {
      const seen = this.seen(), points = seen.flatMap((curve) => curve.points);
      this.across = axis(points.map(([x]) => x), this.x, LEFT, WIDTH - RIGHT);
      this.up = axis(points.flatMap(([, ...ys]) => ys), this.y, HEIGHT - BOTTOM, TOP);
      this.svg.replaceChildren();
      const frame = drawn("g", {class: "curves-axes"}, this.svg);
      for (const tick of this.across.ticks) {
        const x = this.across.place(tick);
        drawn("path", {d: `M${x} ${TOP}V${HEIGHT - BOTTOM}`}, frame);
        drawn("text", {x, y: HEIGHT - BOTTOM + 18, "text-anchor": "middle"}, frame).textContent = told(tick);
      }
      for (const tick of this.up.ticks) {
        const y = this.up.place(tick);
        drawn("path", {d: `M${LEFT} ${y}H${WIDTH - RIGHT}`}, frame);
        drawn("text", {x: LEFT - 8, y: y + 4, "text-anchor": "end"}, frame).textContent = told(tick);
      }
      drawn("text", {x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle"}, frame).textContent = seen.length ? seen[0].along : "";
      for (const curve of seen) this.line(curve);
      this.mark = drawn("circle", {r: 6, class: "curves-mark", visibility: "hidden"}, this.svg);
    }

    line(curve) {
      const {across, up} = this, group = drawn("g", {stroke: curve.color, fill: "none", "stroke-width": 2, "data-name": curve.label}, this.svg);
      const fitting = curve.points.filter(([x, y]) => across.fits(x) && up.fits(y));
      drawn("path", {d: fitting.map(([x, y], k) => `${k ? "L" : "M"}${across.place(x).toFixed(1)} ${up.place(y).toFixed(1)}`).join(""), "stroke-dasharray": curve.dash}, group);
      for (const [x, y, low, high] of fitting) {
        if (up.fits(low) && up.fits(high)) drawn("path", {d: `M${across.place(x).toFixed(1)} ${up.place(low).toFixed(1)}V${up.place(high).toFixed(1)}`, "stroke-width": 1}, group);
        drawn("circle", {cx: across.place(x).toFixed(1), cy: up.place(y).toFixed(1), r: 2.5, fill: curve.color, stroke: "none"}, group);
      }
    }

    tell(curve, place) {
      const [x, y, low, high] = curve.points[place];
      this.at = {curve, place};
      this.mark.setAttribute("cx", this.across.place(x));
      this.mark.setAttribute("cy", this.up.place(y));
      this.mark.setAttribute("visibility", this.across.fits(x) && this.up.fits(y) ? "visible" : "hidden");
      this.output.value = `${curve.label}: ${told(y)}${low === undefined ? "" : ` [${told(low)}, ${told(high)}]`} at ${curve.along} = ${told(x)}`;
    }

    point(event) {
      const box = this.svg.getBoundingClientRect(), scale = WIDTH / box.width, px = (event.clientX - box.left) * scale, py = (event.clientY - box.top) * scale;
      let best = [Infinity];
      for (const curve of this.seen()) {
        curve.points.forEach(([x, y], place) => {
          if (!this.across.fits(x) || !this.up.fits(y)) return;
          const far = Math.hypot(this.across.place(x) - px, this.up.place(y) - py);
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
