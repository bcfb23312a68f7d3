() => require("fs").readFileSync("/etc/passwd", "utf8")
