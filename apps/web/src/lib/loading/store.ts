import { useSyncExternalStore } from 'react'

/** One value outside of React that components can follow. */
export interface Store<Value> {
  get: () => Value
  set: (value: Value) => void
  /** Calls `listener` after each change and returns how to stop. */
  subscribe: (listener: (value: Value) => void) => () => void
}

/** Makes a store; setting the value that it already holds tells nobody. */
export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial
  const listeners = new Set<(value: Value) => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener(next)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get)
}
