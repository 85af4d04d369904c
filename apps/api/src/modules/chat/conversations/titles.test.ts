import { describe, expect, test } from 'vitest'
import { cleanTitle, titleOf } from './titles-and-summaries.ts'

describe('the name of a new conversation', () => {
  test.each([
    ['What is a lighthouse for?', 'What is a lighthouse for?'],
    ['  Two\n\nlines   and spaces ', 'Two lines and spaces'],
    ['# **Bold** plans\n```js\nlet x\n```', 'Bold plans let x'],
    [
      'Please write a long and friendly letter to my landlord about the broken heating in the kitchen',
      'Please write a long and friendly letter to my landlord…',
    ],
    ['x'.repeat(100), `${'x'.repeat(59)}…`],
    ['灯'.repeat(100), `${'灯'.repeat(59)}…`],
    ['🌊'.repeat(100), `${'🌊'.repeat(59)}…`],
    [`${'x'.repeat(57)}👨‍👩‍👧xx`, `${'x'.repeat(57)}…`],
    ['C# vs F#', 'C# vs F#'],
    ['Fix user_id in __init__ of `a_b`', 'Fix user_id in __init__ of a_b'],
    ['if a > b || 2 * 3 ** 4', 'if a > b || 2 * 3 ** 4'],
    ['> A _very good_ **C#** quote\n* x', 'A very good C# quote x'],
    ['| a | b |\n| 1 | 2 |', 'a b 1 2'],
    ['***', 'New conversation'],
    ['', 'New conversation'],
  ])('of "%s" is "%s"', (message, title) => {
    expect(titleOf(message)).toBe(title)
    expect([...titleOf(message)].length).toBeLessThanOrEqual(60)
  })
})

describe('a title written by a model', () => {
  test.each([
    ['Dentist in May', 'Dentist in May'],
    ['"Dentist in May."', 'Dentist in May'],
    ['Reading user_id in C#', 'Reading user_id in C#'],
    ['## **Title:** *Dentist* in May', 'Dentist in May'],
    ['Title: **Dentist in May**\nI chose this because', 'Dentist in May'],
    ['<think>Let me see\nhm</think>\n\n„Zahnarzt im Mai“', 'Zahnarzt im Mai'],
    ['<think>Let me see whether this is about', null],
    ['```json\n{"title": "Dentist in May"}\n```', 'Dentist in May'],
    ['```json\n{\n  "title": "Dentist in May"\n}\n```', 'Dentist in May'],
    ['{"title":"Dentist in May"}', 'Dentist in May'],
    ['```\nDentist in May\n```', 'Dentist in May'],
    ['```json', null],
    ['   \n ', null],
    ['""', null],
    ['word '.repeat(40), 'word word word word word word word word word word word…'],
  ])('"%s" becomes %s', (draft, title) => {
    expect(cleanTitle(draft)).toBe(title)
  })
})
