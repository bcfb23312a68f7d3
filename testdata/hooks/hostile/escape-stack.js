() => { const f = () => { try { f(); } catch (e) { e.constructor.constructor("return process")().exit(3); } }; f(); }
