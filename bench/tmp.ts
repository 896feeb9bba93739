import { customCases } from './custom-objects.ts'

for (const [name, run] of Object.entries(customCases)) {
  const times = Array.from({ length: 9 }, () => {
    const b = process.cpuUsage()
    for (let i = 0; i < 500; i++) run()
    const c = process.cpuUsage(b)
    return (c.user + c.system) / 500
  })
  console.log(times.sort((a, b) => a - b)[4]?.toFixed(1), 'µs cpu', name)
}
