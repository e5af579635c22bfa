// Reads JSON from the server and checks its types, because the server may be of another
// version. A field of another type is an error with the name of the field.

export type Fields = Record<string, unknown>;

/** Checks that a value is an object; what names it in the error. */
export function fields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`unexpected answer from the server: ${what} is not an object`);
  }
  return value as Fields;
}

/** Reads a field of an object, and checks its type. */
export function field<T>(object: Fields, name: string, is: (value: unknown) => value is T): T {
  const value = object[name];
  if (!is(value)) {
    throw new Error(`unexpected answer from the server: "${name}" is ${JSON.stringify(value)}`);
  }
  return value;
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isList = (value: unknown): value is unknown[] => Array.isArray(value);
export const isPair = (value: unknown): value is [number, number] => isList(value) && value.length === 2 && value.every(isNumber);

/** Tells whether a value is one of some texts. */
export function oneOf<T extends string>(...texts: T[]): (value: unknown) => value is T {
  return (value): value is T => texts.includes(value as T);
}
