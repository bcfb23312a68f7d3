() => console.log({get x() { for (;;); }, toString() { for (;;); }})
