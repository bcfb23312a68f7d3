() => console.log.constructor("return process")().exit(3)
