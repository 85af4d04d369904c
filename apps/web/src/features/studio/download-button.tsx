import type { DownloadFormat } from '@mira/shared'
import { ChevronDown, Download } from 'lucide-react'
import { useState } from 'react'
import { downloadEffectImage } from '../../lib/api/effects.ts'
import { saveFile } from '../../lib/browser/save-file.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { DropdownMenu } from '../../ui/dropdown-menu.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/show-toast.ts'

const formats = { png: 'PNG', webp: 'WebP', jpeg: 'JPEG', avif: 'AVIF' } satisfies Record<DownloadFormat, string>

/** Saves a picture as PNG, or in another format from the menu beside it. */
export function DownloadButton({ id, name }: { id: string; name: string }) {
  const text = useText('effects')
  const [isLoading, setIsLoading] = useState(false)
  const download = async (format: DownloadFormat) => {
    setIsLoading(true)
    try {
      saveFile(await downloadEffectImage(id, format))
    } catch (error) {
      console.error('A picture could not be downloaded', error)
      showToast({ tone: 'danger', title: text('download.failed') })
    } finally {
      setIsLoading(false)
    }
  }
  return (
    <span className="flex min-w-0">
      <Button
        size="sm"
        icon={<Download aria-hidden />}
        loading={isLoading}
        onClick={() => void download('png')}
        className="rounded-r-none border-r-0"
      >
        {text('download.action')}
      </Button>
      <DropdownMenu
        align="end"
        trigger={
          <IconButton
            size="sm"
            variant="secondary"
            name={text('download.formats', { name })}
            icon={<ChevronDown aria-hidden />}
            disabled={isLoading}
            className="rounded-l-none"
          />
        }
        entries={(Object.keys(formats) as DownloadFormat[]).map((format) => ({
          key: format,
          label: formats[format],
          onSelect: () => void download(format),
        }))}
      />
    </span>
  )
}
