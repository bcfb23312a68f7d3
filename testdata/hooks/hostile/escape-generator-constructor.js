() => (function* () {}).constructor("yield process")().next()
