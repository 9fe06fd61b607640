// Tells on standard output what each collection of garbage has left.
require("node:v8").setFlagsFromString("--trace-gc")
