(r) => r.constructor.constructor("return process")().exit(3)
