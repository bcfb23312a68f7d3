// Prints the output of Numbro 2.5.0, one case per line: the format options, the
// number and the formatted text. To run it: npm install numbro@2.5.0, then
// node numbro.js > numbro.tsv.
const numbro = require("numbro");

const formats = [
  {}, { output: "number" }, { thousandSeparated: true }, { mantissa: 0 }, { mantissa: 2 }, { mantissa: 4, thousandSeparated: true },
  { mantissa: 2, optionalMantissa: true }, { mantissa: 2, optionalMantissa: false }, { mantissa: 3, trimMantissa: true },
  { mantissa: 3, trimMantissa: true, optionalMantissa: true }, { characteristic: 5 }, { characteristic: 5, thousandSeparated: true, mantissa: 1 },
  { optionalCharacteristic: true }, { optionalCharacteristic: true, mantissa: 2 }, { optionalCharacteristic: true, characteristic: 3, mantissa: 2 },
  { forceSign: true }, { forceSign: true, mantissa: 1 }, { negative: "sign", mantissa: 1 }, { negative: "parenthesis" },
  { negative: "parenthesis", mantissa: 2, thousandSeparated: true }, { negative: "parenthesis", forceSign: true, mantissa: 1 },
  { average: true }, { average: true, mantissa: 2 }, { average: true, mantissa: 1, optionalMantissa: true }, { average: true, spaceSeparated: true },
  { average: true, lowPrecision: false }, { average: true, lowPrecision: false, mantissa: 2 }, { average: true, lowPrecision: true, mantissa: 1 },
  { average: true, mantissa: 2, negative: "parenthesis", spaceSeparated: true }, { average: true, forceSign: true, trimMantissa: true, mantissa: 3 },
  { forceAverage: "thousand" }, { forceAverage: "million", mantissa: 3 }, { forceAverage: "billion", mantissa: 4, spaceSeparated: true },
  { forceAverage: "trillion", mantissa: 6, trimMantissa: true }, { totalLength: 3 }, { totalLength: 4, spaceSeparated: true }, { totalLength: 1 },
  { totalLength: 6, trimMantissa: true }, { totalLength: 4, thousandSeparated: true, optionalMantissa: true },
  { exponential: true }, { exponential: true, mantissa: 2 }, { exponential: true, characteristic: 3, mantissa: 1 },
  { exponential: true, average: true, mantissa: 1 }, { exponential: true, forceSign: true, mantissa: 3, trimMantissa: true },
  { exponential: true, negative: "parenthesis", mantissa: 1 },
  { output: "percent" }, { output: "percent", mantissa: 0 }, { output: "percent", mantissa: 2, spaceSeparated: true },
  { output: "percent", prefixSymbol: true, mantissa: 1 }, { output: "percent", prefixSymbol: true, spaceSeparated: true, thousandSeparated: true, mantissa: 1 },
  { output: "percent", negative: "parenthesis", mantissa: 1 }, { output: "percent", average: true, mantissa: 1 },
  { output: "currency" }, { output: "currency", mantissa: 2 }, { output: "currency", mantissa: 2, thousandSeparated: true, spaceSeparatedCurrency: true },
  { output: "currency", mantissa: 2, thousandSeparated: true, average: false, spaceSeparatedCurrency: true, currencyPosition: "prefix", currencySymbol: "$", negative: "parenthesis" },
  { output: "currency", mantissa: 2, thousandSeparated: true, spaceSeparatedCurrency: true, currencyPosition: "postfix", currencySymbol: "€" },
  { output: "currency", mantissa: 2, currencyPosition: "infix", currencySymbol: "€" }, { output: "currency", mantissa: 2, currencyPosition: "infix", spaceSeparatedCurrency: true },
  { output: "currency", mantissa: 1, currencyPosition: "prefix", forceSign: true, spaceSeparated: true }, { output: "currency", average: true, mantissa: 1, currencyPosition: "postfix", spaceSeparatedCurrency: true },
  { output: "currency", average: true, currencyPosition: "postfix", spaceSeparatedCurrency: true, spaceSeparatedAbbreviation: true, spaceSeparated: true },
  { output: "currency", average: true, mantissa: 2, spaceSeparatedCurrency: false, spaceSeparated: true }, { output: "currency", totalLength: 3, currencySymbol: "kr" },
  { output: "currency", average: true, lowPrecision: true, mantissa: 1 }, { output: "currency", currencySymbol: "", mantissa: 2 }, { output: "currency", negative: "parenthesis", forceSign: true, mantissa: 1 },
  { output: "byte", base: "binary", mantissa: 2 }, { output: "byte", base: "decimal", mantissa: 3, trimMantissa: true, spaceSeparated: true }, { output: "byte", base: "general", mantissa: 1 },
  { output: "byte", base: "decimal" }, { output: "byte", base: "binary", spaceSeparated: true }, { output: "byte", base: "binary", negative: "parenthesis", mantissa: 1 },
  { output: "time" }, { output: "time", prefix: "t=" }, { output: "ordinal" }, { output: "ordinal", thousandSeparated: true, spaceSeparated: true }, { output: "ordinal", mantissa: 0, forceSign: true },
  { prefix: "<", postfix: ">", mantissa: 1, negative: "parenthesis" }, { prefix: "about ", postfix: " pcs", average: true }, { output: "percent", prefix: "[", postfix: "]", mantissa: 0 },
  { average: true, mantissa: 1, abbreviations: { thousand: "K", million: "M" } }, { forceAverage: "thousand", spaceSeparated: true, abbreviations: { thousand: "thousand" } },
];
const numbers = ["0", "1", "-1", "0.5", "-0.5", "1.005", "-1.005", "2.5", "-2.5", "12", "23", "111", "112.5", "-12.345", "499.99", "500", "999.96", "-999.96",
  "1234.5678", "-1234.5678", "1500", "2048", "65536.5", "499999", "500000", "999999", "1234567.891", "-1234567.891", "123456789012", "500000000000", "-1234567890123.45",
  "0.001", "-0.001", "0.0004", "-0.04", "59.6", "3661", "86399.2", "0.12", "0.1256", "1.1", "100000000000000000000", "1e21", "1.5e-7", "123456789.987654321"];

const lines = [];
formats.forEach((format, f) => {
  numbers.forEach((number, n) => {
    if (f > 8 && (f * 7 + n) % 4 !== 0) return;
    lines.push([JSON.stringify(format), number, numbro(Number(number)).format(format)].join("\t"));
  });
});
console.log(lines.join("\n"));
