// As much of VS Code's API as the client library needs to start a server.

import Module from 'node:module';

const target = function (): void { /* only a class or a function can be called */ };
Reflect.deleteProperty(target, 'name'); // both are read-only, also in the instances of subclasses
Reflect.deleteProperty(target, 'length');

/** Every part of the API that a test does not look at: a class, a function, and an object whose members are all the same. */
export const anything: object = new Proxy(target, {
  get: (_, key) => {
    switch (key) {
      case 'then': // it is no promise
        return undefined;
      case Symbol.iterator:
        return () => [].values();
      case Symbol.toPrimitive:
        return () => '';
      default:
        return anything;
    }
  },
  apply: () => anything,
  construct: (of, args, subclass) => subclass === anything ? anything : Reflect.construct(of, args, subclass) as object,
});

/** A part of the API with some members of its own. */
export function partly(members: object): object {
  return Object.assign(Object.create(anything) as object, members);
}

/** Makes this API the module "vscode" of everything that is loaded from now on. */
export function provideVSCode(api: object): void {
  const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
  const load = loader._load;
  loader._load = (request, ...rest) => request === 'vscode' ? api : load(request, ...rest);
}
