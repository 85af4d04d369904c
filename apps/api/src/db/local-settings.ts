import type pg from 'pg'

/** Runs one statement with settings of the database that hold for it alone, by name. */
export async function queryWith<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  settings: Record<string, string | number>,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const client = await pool.connect()
  try {
    await client.query(['BEGIN', ...Object.entries(settings).map((one) => `SET LOCAL ${one.join(' = ')}`)].join('; '))
    const { rows } = await client.query<Row>(text, values)
    await client.query('COMMIT')
    client.release()
    return rows
  } catch (error) {
    // what the transaction left goes with the connection
    client.release(true)
    throw error
  }
}
