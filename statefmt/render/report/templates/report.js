"use strict";
(() => {
  const FIRST_ROWS = 100, MOST_MATCHES = 20, MOST_NEIGHBOURS = 25, SVG = "http://www.w3.org/2000/svg";
  const byId = (id) => document.getElementById(id);
  const counted = (list, one, many) => `${list.length.toLocaleString("en")} ${list.length === 1 ? one : many}`;
  const made = (name, attributes = {}, text = "") => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  };

  // What needs this script is hidden without it.
  for (const element of document.querySelectorAll("[data-script]")) element.hidden = false;

  for (const button of document.querySelectorAll("button[data-open]")) {
    const inside = byId(button.dataset.open);
    button.addEventListener("click", () => {
      const all = [...inside.querySelectorAll("details")];
      const open = all.some((details) => !details.open);
      for (const details of all) details.open = open;
    });
  }

  // Cards that contain all words of a filter.
  const wanted = byId("card-filter");
  if (wanted) {
    const cards = [...document.querySelectorAll(".change")], texts = new Map(cards.map((card) => [card, card.textContent.toLowerCase()]));
    const count = byId("card-count"), groups = [...document.querySelectorAll("section.changes")];
    wanted.addEventListener("input", () => {
      const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
      let number = 0;
      for (const card of cards) {
        const matches = words.every((word) => texts.get(card).includes(word));
        card.hidden = !matches;
        number += matches;
      }
      for (const group of groups) group.hidden = !group.querySelector(".change:not([hidden])");
      count.textContent = words.length ? `${number.toLocaleString("en")} of ${cards.length.toLocaleString("en")}` : "";
    });
  }

  for (const button of document.querySelectorAll("button[data-severity]")) {
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      for (const group of document.querySelectorAll(`details[data-severity="${button.dataset.severity}"]`)) group.hidden = !shown;
    });
  }

  // The table of resources: only the rows that are shown are in the document, so that 10,000 of them cost nothing.
  const body = byId("rows"), filters = [byId("filter"), wanted];
  document.addEventListener("keydown", (event) => {
    const filter = filters.find(Boolean);
    if (filter && event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input")) {
      event.preventDefault();
      filter.focus();
    }
  });
  if (body) {
    const filter = byId("filter"), count = byId("count"), more = byId("more"), headings = [...document.querySelectorAll("#table th")], noun = byId("table").dataset.noun;
    const rows = [...body.rows], texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    let limit = FIRST_ROWS;
    const show = (most = limit) => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = rows.filter((row) => words.every((word) => texts.get(row).includes(word)));
      body.replaceChildren(...found.slice(0, most));
      body.classList.add("ready");
      count.textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} ${noun}` + (found.length > limit ? `, the first ${limit.toLocaleString("en")} shown` : "");
      more.hidden = found.length <= limit;
    };
    filter.addEventListener("input", () => { limit = FIRST_ROWS; show(); });
    more.addEventListener("click", () => { limit += 1000; show(); });
    headings.forEach((heading, column) => {
      const number = heading.classList.contains("n");
      const key = (row) => number ? Number(row.cells[column].dataset.n) : row.cells[column].textContent;
      heading.querySelector("button").addEventListener("click", () => {
        const down = heading.getAttribute("aria-sort") === (number ? null : "ascending");
        for (const other of headings) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const keys = new Map(rows.map((row) => [row, key(row)])), sign = down ? -1 : 1;
        rows.sort((a, b) => { const x = keys.get(a), y = keys.get(b); return x < y ? -sign : x > y ? sign : 0; });
        show();
      });
    });
    show();
    // On paper there is no button for more.
    addEventListener("beforeprint", () => show(Infinity));
    addEventListener("afterprint", () => show());
  }

  // The neighbours of one resource in the dependency graph.
  const data = byId("graph-data");
  if (data) {
    const { names, missing, edges } = JSON.parse(data.textContent);
    const down = names.map(() => []), up = names.map(() => []), lost = new Set(missing);
    for (const [source, target] of edges) { down[source].push(target); up[target].push(source); }
    const lower = names.map((name) => name.toLowerCase());
    const search = byId("search"), matches = byId("matches"), around = byId("around"), said = byId("said");
    const column = (svg, ids, x, width, height) => {
      const shown = ids.slice(0, MOST_NEIGHBOURS), boxes = [];
      const rows = shown.length + (ids.length > shown.length), top = (height - rows * 34) / 2;
      shown.forEach((id, row) => {
        const group = made("g", { class: "node" + (lost.has(id) ? " lost" : ""), tabindex: "0", role: "button", "aria-label": names[id] });
        const y = top + row * 34;
        group.append(made("title", {}, names[id]), made("rect", { x, y, width, height: 24, rx: 3 }));
        const most = Math.floor((width - 16) / 7.3), text = names[id];
        group.append(made("text", { x: x + 8, y: y + 16 }, text.length > most ? "…" + text.slice(1 - most) : text));
        group.addEventListener("click", () => draw(id, true));
        group.addEventListener("keydown", (event) => {
          if (event.key === "Enter" || event.key === " ") { event.preventDefault(); draw(id, true); }
        });
        svg.append(group);
        boxes.push({ group, y: y + 12 });
      });
      if (rows > shown.length) svg.append(made("text", { x: x + 8, y: top + shown.length * 34 + 16 }, `and ${(ids.length - shown.length).toLocaleString("en")} more`));
      return boxes;
    };
    const draw = (id, focus) => {
      const rows = Math.max(1, ...[down[id], up[id]].map((ids) => Math.min(ids.length, MOST_NEIGHBOURS + 1)));
      const height = rows * 34 + 28, width = 1100, box = 320;
      const svg = made("svg", { width, height, viewBox: `0 -24 ${width} ${height}`, role: "group", "aria-label": `Neighbours of ${names[id]}` });
      [["depend on it", 0], ["selected", 390], ["dependencies", 780]].forEach(([text, x]) => svg.append(made("text", { x, y: -8 }, text)));
      const left = column(svg, up[id], 0, box, height - 28), right = column(svg, down[id], 780, box, height - 28);
      const [here] = column(svg, [id], 390, box, height - 28);
      here.group.classList.add("here");
      for (const one of left) svg.prepend(made("path", { class: "edge", d: `M320 ${one.y}C355 ${one.y} 355 ${here.y} 390 ${here.y}` }));
      for (const one of right) svg.prepend(made("path", { class: "edge", d: `M710 ${here.y}C745 ${here.y} 745 ${one.y} 780 ${one.y}` }));
      around.replaceChildren(svg);
      around.hidden = false;
      matches.replaceChildren();
      said.textContent = `${names[id]}: ${counted(down[id], "dependency", "dependencies")}, ${counted(up[id], "dependent", "dependents")}`;
      if (focus) here.group.focus();
    };
    const found = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean), ids = [];
      if (words.length) for (let id = 0; id < names.length && ids.length <= MOST_MATCHES; id++) if (words.every((word) => lower[id].includes(word))) ids.push(id);
      return ids;
    };
    search.addEventListener("input", () => {
      const ids = found();
      matches.replaceChildren(...ids.slice(0, MOST_MATCHES).map((id) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = names[id];
        button.addEventListener("click", () => draw(id, true));
        return button;
      }));
      said.textContent = !search.value.trim() ? "" : ids.length > MOST_MATCHES ? `more than ${MOST_MATCHES} matches` : `${ids.length} ${ids.length === 1 ? "match" : "matches"}`;
    });
    search.addEventListener("keydown", (event) => {
      const [first] = event.key === "Enter" ? found() : [];
      if (first !== undefined) draw(first, false);
    });
    for (const node of document.querySelectorAll("#overview .node[data-place]")) {
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
      const choose = () => { draw(Number(node.dataset.place), true); };
      node.addEventListener("click", choose);
      node.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
    }
  }
})();
