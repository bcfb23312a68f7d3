// Reads one expression per line, as JSON: {"p": source, "f": flags, "t": [strings]}.
// Answers each with {"r": "10"}, one digit per string, or with
// {"r": "error", "e": reason}.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { p, f, t } = JSON.parse(line);
  let answer;
  try {
    const expression = new RegExp(p, f);
    answer = { r: t.map((text) => (expression.test(text) ? "1" : "0")).join("") };
  } catch (e) {
    answer = { r: "error", e: e.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
