() => process.exit(0)
