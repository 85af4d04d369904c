import { offeredEndingsOf } from '@mira/shared/constants/formats'
import { mediaTypes } from '@mira/shared/constants/media'

const ACCEPTED = offeredEndingsOf(...mediaTypes)
  .map((ending) => `.${ending}`)
  .join(',')

/** The input that asked last: browsers forget one that nobody holds, and what was chosen in it. */
let opened: HTMLInputElement | undefined

/**
 * Opens the browser's choice of files that the memory can read. The input is made for each choice: the one that stands in
 * the page is that of the pictures, and scripts rely on it being the only one.
 */
export function chooseFiles(onChoose: (files: File[]) => void): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept: ACCEPTED, multiple: true })
  input.addEventListener('change', () => onChoose([...(input.files ?? [])]))
  opened = input
  opened.click()
}
