function hook() { return hook.caller.caller.arguments[0]; }
