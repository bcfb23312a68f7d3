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
// The most problems that the API tells this page of.
const most = 50;
const number = new Intl.NumberFormat(document.documentElement.lang);
const element = (id) => document.getElementById(id);
// Text from a file may be of any length.
const cut = (text) => (text.length > 120 ? text.slice(0, 120) + "…" : text);
const rows = (n) => `${number.format(n)} ${n === 1 ? "row" : "rows"}`;

// What the page says in each state: tone, badge, headline and what to do.
const states = {
  AWAITING_UPLOAD: () => ["info", "Waiting for the file", "The file has not arrived yet.",
    "There is nothing to review until it arrives. This page updates by itself."],
  PENDING: () => ["info", "In the queue", "The file is waiting for its turn.",
    "This page updates by itself. You may close it and come back."],
  RUNNING: () => ["info", "Being read", "The file is being read and checked.",
    "This page updates by itself. You may close it and come back."],
  SUCCESSFUL: (it) => ["good", "Done", "The import is complete.",
    `${rows(it.num_data_rows)} read, ${it.num_rows_with_error ? number.format(it.num_rows_with_error) : "none"} with an error. There is nothing for you to do.`],
  FAILED: (it) => ["error", "Failed", "The file could not be imported.",
    it.import_errors.length ? "The reason is below. Correct the file and send it again." : "Ask whoever sent you the link for the reason."],
  NEEDS_REVIEW: (it) => ["warning", "Needs review", open(it),
    "You will be able to settle this here in a later version. Until then, correct the file as described below and send it again."],
};

function open(it) {
  const bad = it.num_rows_with_error;
  if (bad > 0) return `${number.format(bad)} of ${rows(it.num_data_rows)} ${bad === 1 ? "has" : "have"} an error.`;
  const questions = it.import_errors.filter((n) => n.level === "error").length;
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
  return [`Data row ${number.format(notice.rowIndex + 1)}`, cut(notice.header || notice.fieldKey || "")].filter(Boolean).join(" · ");
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
    raw.textContent = cut(notice.value);
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
  element("title").textContent = cut(title);
  element("file").textContent = [cut(it.original_filename), it.num_data_rows ? rows(it.num_data_rows) : ""].filter(Boolean).join(" · ");
  show(...(states[it.status] || states.RUNNING)(it));
  const listed = it.import_errors.filter((n) => n.type !== "TRUNCATED");
  element("notices").replaceChildren(...listed.map(item));
  element("notices").hidden = listed.length === 0;
  element("counting").hidden = !listed.some((n) => n.rowIndex !== undefined);
  element("more").hidden = it.import_errors.length < most;
  element("retry").hidden = true;
}

// Headline, what to do, and whether it may pass.
const troubles = {
  403: ["This link does not open the import.",
    "Open the link exactly as you were sent it: the long part after the # belongs to it. If it still does not open, ask for a new one.", false],
  404: ["This import no longer exists.", "It was deleted. Ask whoever sent you the link.", false],
};

function showTrouble(headline, lead, mayPass) {
  show("error", "Not shown", headline, lead);
  element("notices").hidden = element("counting").hidden = element("more").hidden = true;
  element("retry").hidden = !mayPass;
}

// What was asked for last, and when to ask again: one chain of questions only,
// whatever starts the next one.
let asked = 0;
let timer;
let shown = "";
// The token for which there is a cookie.
let opened;

async function look() {
  clearTimeout(timer);
  const mine = ++asked;
  const answer = await ask();
  if (mine !== asked) return; // something else was asked for meanwhile
  if (answer.import === undefined) {
    shown = "";
    showTrouble(...answer.trouble);
    return;
  }
  const it = JSON.parse(answer.import);
  // What has not changed is left alone, or screen readers would tell it again.
  if (answer.import !== shown) showImport(it);
  shown = answer.import;
  if (["AWAITING_UPLOAD", "PENDING", "RUNNING"].includes(it.status)) timer = setTimeout(look, 2000);
}

// Gives the import as the API tells it, or what to say instead.
async function ask() {
  const id = location.pathname.split("/")[2] || "";
  try {
    const path = `/api/review/v1/${encodeURIComponent(id)}/`;
    const token = location.hash.slice(1);
    let answer = opened === token ? await fetch(path, { cache: "no-store" }) : new Response(null, { status: 401 });
    if (answer.status === 401) { // the token is exchanged for a cookie
      answer = await fetch(`${path}session/`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, cache: "no-store" });
      opened = answer.ok ? token : undefined;
    }
    if (answer.ok) return { import: await answer.text() };
    return { trouble: troubles[answer.status] || ["The import could not be looked up.", "The service answered with an error. Try again in a moment.", true] };
  } catch {
    return { trouble: ["The service does not answer.", "Check your connection. Nothing is lost; this page tries again when you ask it to.", true] };
  }
}

element("retry").addEventListener("click", look);
addEventListener("hashchange", look);
look();
