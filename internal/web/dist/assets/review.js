// Shows one import to the person who was sent its link. The right to see it is
// in the fragment of the address, which a browser sends to no server: it is
// handed to the API in a header. Everything that comes from a file is set as
// text, never as markup.
"use strict";

const tones = {
  error: "M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2z",
  warning: "M8 1.5 15.5 14.5H.5z",
  info: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z",
};
const number = new Intl.NumberFormat(document.documentElement.lang);
const element = (id) => document.getElementById(id);
const rows = (n) => `${number.format(n)} ${n === 1 ? "row" : "rows"}`;

// What the page says in each state: tone, badge, headline and what to do.
const states = {
  AWAITING_UPLOAD: () => ["info", "Waiting for the file", "The file has not arrived yet.",
    "There is nothing to review before it has. This page looks again by itself."],
  PENDING: () => ["info", "In the queue", "The file is waiting for its turn.",
    "This page looks again by itself. You may close it and come back."],
  RUNNING: () => ["info", "Being read", "The file is being read and checked.",
    "This page looks again by itself. You may close it and come back."],
  SUCCESSFUL: (it) => ["good", "Done", "The import is complete.",
    `${rows(it.num_data_rows)} read, ${number.format(it.num_rows_with_error)} with an error. There is nothing for you to do.`],
  FAILED: () => ["error", "Failed", "The file could not be imported.",
    "The reason is below. Mend the file and send it again."],
  NEEDS_REVIEW: (it) => ["warning", "Needs review", open(it),
    "The page to settle this here follows with a later version. Until then, mend the file as told below and send it again."],
};

function open(it) {
  const bad = it.num_rows_with_error;
  if (bad > 0) return `${number.format(bad)} of ${rows(it.num_data_rows)} ${bad === 1 ? "has" : "have"} an error.`;
  const questions = it.import_errors.length;
  return questions === 1 ? "One question is open." : `${number.format(questions)} questions are open.`;
}

function icon(level) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("width", "16");
  svg.setAttribute("height", "16");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", level);
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", tones[level] || tones.info);
  path.setAttribute("fill", "currentColor");
  svg.append(path);
  return svg;
}

function place(notice) {
  if (notice.rowIndex === undefined) return ""; // the message names what it is about
  return [`Row ${number.format(notice.rowIndex + 1)}`, notice.header || notice.fieldKey].filter(Boolean).join(" · ");
}

function item(notice) {
  const li = document.createElement("li");
  li.dataset.level = notice.level;
  const message = document.createElement("p");
  message.textContent = notice.message;
  li.append(icon(notice.level), message);
  const where = place(notice);
  if (!where && !notice.value) return li;
  const line = document.createElement("p");
  line.className = "where";
  line.textContent = where;
  if (notice.value) {
    const raw = document.createElement("code");
    raw.textContent = notice.value.length > 120 ? notice.value.slice(0, 120) + "…" : notice.value;
    line.append(where ? " · " : "", raw);
  }
  li.append(line);
  return li;
}

function show(tone, badge, headline, lead) {
  element("main").setAttribute("aria-busy", "false");
  element("badge").dataset.tone = tone;
  element("badge").textContent = badge;
  element("headline").textContent = headline;
  element("lead").textContent = lead;
}

function showImport(it) {
  const title = it.title || "Import";
  document.title = `${title} · review`;
  element("title").textContent = title;
  element("file").textContent = [it.original_filename, it.num_data_rows ? rows(it.num_data_rows) : ""].filter(Boolean).join(" · ");
  show(...(states[it.status] || states.RUNNING)(it));
  const listed = it.import_errors.filter((n) => n.type !== "TRUNCATED");
  element("notices").replaceChildren(...listed.map(item));
  element("notices").hidden = listed.length === 0;
  element("retry").hidden = true;
  const more = it.num_rows_with_error > 0 && listed.length >= 49;
  element("more").textContent = more ? `These are the first of the problems in ${rows(it.num_rows_with_error)}.` : "";
  element("more").hidden = !more;
}

function showTrouble(headline, lead, mayPass) {
  show("error", "Not shown", headline, lead);
  element("notices").hidden = element("more").hidden = true;
  element("retry").hidden = !mayPass;
}

async function look() {
  const id = location.pathname.split("/")[2] || "";
  try {
    const answer = await fetch(`/api/review/v1/${encodeURIComponent(id)}/`, {
      headers: { Authorization: `Bearer ${location.hash.slice(1)}` },
      cache: "no-store",
    });
    if (answer.ok) {
      const it = await answer.json();
      showImport(it);
      if (["AWAITING_UPLOAD", "PENDING", "RUNNING"].includes(it.status)) setTimeout(look, 2000);
      return;
    }
    if (answer.status === 403) {
      showTrouble("This link does not open the import.", "Open the link exactly as you were sent it: the long part after the # belongs to it. If it still does not open, ask for a new one.", false);
    } else if (answer.status === 404) {
      showTrouble("This import is not there any more.", "It was deleted. Ask whoever sent you the link.", false);
    } else {
      showTrouble("The import could not be looked up.", "The service answered with an error. Try again in a moment.", true);
    }
  } catch {
    showTrouble("The service does not answer.", "Check your connection. Nothing is lost; this page tries again when you ask it to.", true);
  }
}

element("retry").addEventListener("click", look);
addEventListener("hashchange", look);
look();
