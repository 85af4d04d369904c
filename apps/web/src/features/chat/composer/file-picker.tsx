import { offeredEndingsOf } from '@mira/shared/words/formats'
import { mediaTypes } from '@mira/shared/words/media'
import { FilePlus } from 'lucide-react'
import { useRef } from 'react'
import { useText } from '../../../lib/i18n.ts'
import { IconButton } from '../../../ui/icon-button.tsx'

const ACCEPTED = offeredEndingsOf(...mediaTypes)
  .map((ending) => `.${ending}`)
  .join(',')

/** The button that opens the browser's choice of files that the memory can read. */
export function FilePicker({ isBusy, onChoose }: FilePickerProps) {
  const text = useText('chat')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={ACCEPTED}
        multiple
        hidden
        aria-label={text('files.add')}
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])])
          // So that the same file can be chosen again.
          target.value = ''
        }}
      />
      <IconButton
        name={text('files.add')}
        icon={<FilePlus aria-hidden />}
        disabled={isBusy}
        onClick={() => input.current?.click()}
      />
    </>
  )
}

type FilePickerProps = { isBusy: boolean; onChoose: (files: File[]) => void }
