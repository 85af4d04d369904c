import { useSyncExternalStore } from 'react'

/** A value outside of React that components can subscribe to. */
export interface Store<Value> {
  get: () => Value
  set: (value: Value) => void
  /** Calls `listener` after each change; returns a function that stops it. */
  subscribe: (listener: (value: Value) => void) => () => void
}

/** Creates a store; setting its current value again notifies nobody. */
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

/** The value of a store; the component is rendered again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get)
}
