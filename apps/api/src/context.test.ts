import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('the server process loads no native decoders of uploaded files; they run in separate processes', {
  timeout: 60_000,
}, async () => {
  const script = `await import(${JSON.stringify(new URL('./context.ts', import.meta.url).href)})
    console.log(process.report.getReport().sharedObjects.filter((path) => /vips|onnx|node-av|canvas/i.test(path)).join())
    process.exit()`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout.trim()).toBe('')
})
