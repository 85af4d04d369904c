// Preloaded into a server (node --import): its clock goes on from the moment that FIXED_CLOCK names.
const start = process.env.FIXED_CLOCK
if (start !== undefined) {
  const TrueDate = Date
  const aheadMs = TrueDate.parse(start) - TrueDate.now()
  const now = () => TrueDate.now() + aheadMs
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, given, called) => Reflect.construct(target, given.length === 0 ? [now()] : given, called),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  })
}
