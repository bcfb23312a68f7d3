() => { throw {get message() { for (;;); }, get stack() { for (;;); }, get name() { for (;;); }}; }
