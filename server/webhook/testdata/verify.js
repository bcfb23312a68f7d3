// Reads messages as JSON from standard input, verifies each with the published
// library, checks that the library refuses a modified message, and prints the
// signatures that the library computes.
const { Webhook } = require("standardwebhooks");

let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (part) => { text += part; });
process.stdin.on("end", () => {
	const signatures = JSON.parse(text).map(({ secret, headers, body }) => {
		const hook = new Webhook(secret);
		hook.verify(body, headers, { jsonParse: false });
		let refused = false;
		try {
			hook.verify(body + " ", headers, { jsonParse: false });
		} catch {
			refused = true;
		}
		if (!refused) {
			throw new Error("a changed body was taken");
		}
		return hook.sign(headers["Webhook-Id"], new Date(1000 * Number(headers["Webhook-Timestamp"])), body);
	});
	process.stdout.write(JSON.stringify(signatures));
});
