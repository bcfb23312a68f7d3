() => null //# sourceMappingURL=/etc/passwd
