// A key such as `__proto__` that is taken for a field would change every object of the process: it fails where it happens.
for (const { prototype } of [Object, Array, Function, String, Number]) Object.preventExtensions(prototype)
