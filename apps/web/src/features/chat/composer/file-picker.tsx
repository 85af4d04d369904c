import { offeredEndingsOf } from '@mira/shared/words/formats'
import { mediaTypes } from '@mira/shared/words/media'
import { FilePlus } from 'lucide-react'
import { useRef } from 'react'
import { useText } from '../../../lib/i18n.ts'
import { IconButton } from '../../../ui/icon-button.tsx'

const ACCEPTED = offeredEndingsOf(...mediaTypes)
  .map((ending) => `.${ending}`)
  .join(',')

/**
 * The button that opens the browser's choice of files that the memory can read. Its input is made for each choice and kept until the
 * next one: the input that stands in the page is that of the pictures, and scripts rely on it being the only one.
 */
export function FilePicker({ onChoose }: { onChoose: (files: File[]) => void }) {
  const text = useText('chat')
  const opened = useRef<HTMLInputElement>(null)
  const choose = () => {
    const input = Object.assign(document.createElement('input'), { type: 'file', accept: ACCEPTED, multiple: true })
    input.addEventListener('change', () => onChoose([...(input.files ?? [])]))
    opened.current = input
    input.click()
  }
  return <IconButton name={text('files.add')} icon={<FilePlus aria-hidden />} onClick={choose} />
}
