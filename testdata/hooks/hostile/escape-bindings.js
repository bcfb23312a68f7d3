() => process.binding("fs")
