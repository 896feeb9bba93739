/** The programs of the assets for envtest, in one file: `etcd` and `kube-apiserver`, each with its flags. */
async function main([program = '', ...args]: readonly string[]): Promise<void> {
  if (program === 'etcd') {
    const { etcd } = await import('./etcd.ts')
    process.exitCode = await etcd(args)
  } else {
    const { kubeApiserver } = await import('./kube-apiserver.ts')
    await kubeApiserver(args)
  }
}

void main(process.argv.slice(2))
