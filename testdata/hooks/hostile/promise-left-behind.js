(r) => { (async () => { for (;;) await null; })(); return null; }
