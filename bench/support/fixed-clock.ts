// Preloaded into a server (node --import): its clock starts at the time in FIXED_CLOCK.
const start = process.env.FIXED_CLOCK
if (start !== undefined) {
  const TrueDate = Date
  const aheadMs = TrueDate.parse(start) - TrueDate.now()
  const now = () => TrueDate.now() + aheadMs
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  })
}
