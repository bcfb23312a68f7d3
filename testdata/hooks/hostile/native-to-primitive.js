() => +{[Symbol.toPrimitive]() { for (;;); }}
