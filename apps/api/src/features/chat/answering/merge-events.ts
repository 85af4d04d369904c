/**
 * Joins what is told while something is made into one sequence, in the order of telling: an engine waits for the tools that it
 * calls, and what those tell comes meanwhile. It ends when the making has, and throws what that threw.
 */
export async function* mergeEvents<Event>(
  make: (tell: (event: Event) => void) => Promise<void>,
): AsyncGenerator<Event> {
  const told: Event[] = []
  let wake = () => {}
  let isMade = false
  const making = make((event) => {
    told.push(event)
    wake()
  }).finally(() => {
    isMade = true
    wake()
  })
  // thrown below, when all that was told before is read
  making.catch(() => {})
  while (true) {
    yield* told.splice(0)
    if (told.length > 0) continue
    if (isMade) break
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  await making
}
