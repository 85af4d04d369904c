import { expect, it } from 'vitest'
import { pastedFiles } from './use-paste.ts'

const file = new File(['x'], 'plan.png')
const clipboard = (texts: Record<string, string>, files = [file]) =>
  ({ files, getData: (type: string) => texts[type] ?? '' }) as unknown as DataTransfer

it.each([
  ['a picture', {}, [file]],
  ['a picture of a web page', { 'text/html': '<img src="plan.png">' }, [file]],
  ['a file of a file manager, which gives its name too', { 'text/plain': 'plan.png' }, [file]],
  ['cells of a table, of which there is a picture too', { 'text/plain': '1\t2', 'text/html': '<table>' }, []],
  ['words of a document, of which there is a picture too', { 'text/plain': 'Plan', 'text/rtf': '{}' }, []],
])('%s', (_, texts, expected) => {
  expect(pastedFiles(clipboard(texts))).toEqual(expected)
})
