import { expect, it } from 'vitest'
import { pastedFiles } from './use-paste.ts'

const file = new File(['x'], 'plan.png')
const clipboard = (texts: Record<string, string>, files = [file]) =>
  ({ files, getData: (type: string) => texts[type] ?? '' }) as unknown as DataTransfer

it.each([
  ['an image pastes the file', {}, [file]],
  ['an image from a web page pastes the file', { 'text/html': '<img src="plan.png">' }, [file]],
  ['a file from a file manager, with its name as text, pastes the file', { 'text/plain': 'plan.png' }, [file]],
  ['table cells with an image of them paste no file', { 'text/plain': '1\t2', 'text/html': '<table>' }, []],
  ['document text with an image of it pastes no file', { 'text/plain': 'Plan', 'text/rtf': '{}' }, []],
])('%s', (_, texts, expected) => {
  expect(pastedFiles(clipboard(texts))).toEqual(expected)
})
