package capture

// ReadWith is readWith for tests outside the package.
var ReadWith = readWith
