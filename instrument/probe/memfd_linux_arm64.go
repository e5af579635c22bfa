package probe

const memfdCreate = 279
