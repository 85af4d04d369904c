import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { prepareExport } from '../../api/account.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useUserEvents } from '../../lib/event-stream.ts'
import { useText } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Progress } from '../../ui/progress.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { DataLine } from './data-line.tsx'

interface Written {
  exportId: string
  done: number
  total: number
}

/** Everything that is the person's as one file: the browser downloads it while the server writes it. */
export function ExportData() {
  const text = useText('settings')
  const errorText = useErrorText()
  const [written, setWritten] = useState<Written | null>(null)
  const prepare = useMutation({
    mutationFn: prepareExport,
    onSuccess: ({ export_id: exportId, url }) => {
      setWritten({ exportId, done: 0, total: 0 })
      const link = document.createElement('a')
      link.href = url
      link.download = ''
      link.click()
    },
    onError: (error) => {
      console.error('The export could not be begun', error)
      showToast({ tone: 'danger', title: text('data.exportFailed'), description: errorText(error) })
    },
  })

  useUserEvents((event) => {
    if (event.type !== 'export.progress' || event.export_id !== written?.exportId) return
    setWritten(event.is_finished ? null : { exportId: event.export_id, done: event.done, total: event.total })
    if (event.is_finished) showToast({ tone: 'success', title: text('data.exported') })
  })

  return (
    <DataLine
      note={
        <>
          <p>{text('data.exportText')}</p>
          {written !== null && (
            <Progress
              className="mt-3 max-w-96"
              label={text('data.exporting')}
              value={written.total === 0 ? null : (written.done / written.total) * 100}
              detail={written.total === 0 ? undefined : text('data.exportedOf', { ...written })}
            />
          )}
        </>
      }
    >
      <Button icon={<Download aria-hidden />} loading={prepare.isPending} onClick={() => prepare.mutate()}>
        {text('data.export')}
      </Button>
    </DataLine>
  )
}
