import { describe, expect, it } from 'vitest'
import {
  changeMode,
  changeStepIntensity,
  chooseEffect,
  chosenNames,
  emptySelection,
  loadSteps,
  moveStep,
  recipeOf,
  removeStep,
} from './use-studio.ts'

const stackOf = (...names: Parameters<typeof chooseEffect>[1][]) =>
  names.reduce((selection, name) => chooseEffect(selection, name, 1), changeMode(emptySelection, 'stack', 1))

describe('choosing effects', () => {
  it('selects one at a time, and deselects it when it is pressed again', () => {
    const sepia = chooseEffect(emptySelection, 'sepia', 1)
    expect(chosenNames(chooseEffect(sepia, 'ink', 1))).toEqual(['ink'])
    expect(chosenNames(chooseEffect(sepia, 'sepia', 1))).toEqual([])
  })

  it('selects several in batch mode, each once, including the one selected before', () => {
    const batch = changeMode(chooseEffect(emptySelection, 'sepia', 1), 'batch', 1)
    expect(chosenNames(batch)).toEqual(['sepia'])
    const both = chooseEffect(batch, 'ink', 1)
    expect(chosenNames(both)).toEqual(['sepia', 'ink'])
    expect(chosenNames(chooseEffect(both, 'sepia', 1))).toEqual(['ink'])
  })

  it('keeps the selection of another mode', () => {
    const batch = chooseEffect(changeMode(emptySelection, 'batch', 1), 'ink', 1)
    const back = changeMode(changeMode(batch, 'one', 1), 'batch', 1)
    expect(chosenNames(back)).toEqual(['ink'])
  })

  it('stacks up to eight effects, including the same one twice', () => {
    expect(chosenNames(stackOf('sepia', 'blur', 'sepia'))).toEqual(['sepia', 'blur', 'sepia'])
    const fullStack = stackOf(...Array.from({ length: 9 }, () => 'blur' as const))
    expect(fullStack.steps).toHaveLength(8)
  })
})

describe('a stack', () => {
  it('is reordered one position at a time, and not beyond its ends', () => {
    const stack = stackOf('sepia', 'blur', 'ink')
    const [first, , last] = stack.steps.map(({ key }) => key)
    expect(chosenNames(moveStep(stack, first!, 1))).toEqual(['blur', 'sepia', 'ink'])
    expect(chosenNames(moveStep(stack, last!, -1))).toEqual(['sepia', 'ink', 'blur'])
    expect(moveStep(stack, first!, -1)).toBe(stack)
    expect(moveStep(stack, last!, 1)).toBe(stack)
    expect(moveStep(stack, 999, 1)).toBe(stack)
  })

  it('has an intensity for each step', () => {
    const stack = stackOf('blur', 'blur')
    const changed = changeStepIntensity(stack, stack.steps[1]!.key, 1.7000001)
    expect(recipeOf(changed)).toEqual([
      { effect_name: 'blur', intensity: 1 },
      { effect_name: 'blur', intensity: 1.7 },
    ])
    expect(recipeOf(removeStep(changed, stack.steps[0]!.key))).toEqual([{ effect_name: 'blur', intensity: 1.7 }])
  })

  it('is loaded from a recipe, and a recipe of a single effect selects that effect', () => {
    const steps = [
      { effect_name: 'sepia', intensity: 0.5 },
      { effect_name: 'vignette', intensity: 2 },
    ] as const
    const loaded = loadSteps(stackOf('ink'), [...steps])
    expect(loaded.mode).toBe('stack')
    expect(recipeOf(loaded)).toEqual(steps)
    expect(new Set(loaded.steps.map(({ key }) => key)).size).toBe(2)
    expect(loadSteps(loaded, [steps[0]])).toMatchObject({ mode: 'one', one: 'sepia' })
  })
})
