package probe

const memfdCreate = 319
