import { type ComponentType, startTransition, useEffect, useState } from 'react'

/**
 * A part of the app that is loaded when it is first shown, for what lies on the way to a screen. React's own `lazy` holds back for
 * 300 ms what has come after something stood in for it, at every step of the way; this shows it at once.
 * @param StandIn is shown until the part is there
 */
export function later<Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
  StandIn: ComponentType,
): ComponentType<Props> {
  let outcome: { Part: ComponentType<Props> } | { failure: unknown } | undefined
  let coming: Promise<void> | undefined
  const comes = () => {
    coming ??= load().then(
      (Part) => {
        outcome = { Part }
      },
      (failure) => {
        outcome = { failure }
      },
    )
    return coming
  }
  return function Later(props: Props) {
    const [shown, setShown] = useState(() => {
      void comes()
      return outcome
    })
    useEffect(() => {
      let isGone = false
      void comes().then(() => {
        if (!isGone) startTransition(() => setShown(outcome))
      })
      return () => {
        isGone = true
      }
    }, [])
    if (shown === undefined) return <StandIn />
    if ('failure' in shown) throw shown.failure
    return <shown.Part {...props} />
  }
}
