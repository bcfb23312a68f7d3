async () => { for (;;) await null; }
