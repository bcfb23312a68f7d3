() => { try { null.x; } catch (e) { e.constructor.constructor("return process")().exit(3); } }
