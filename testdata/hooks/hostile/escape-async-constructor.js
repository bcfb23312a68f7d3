async () => (async () => {}).constructor("return process.exit(3)")()
