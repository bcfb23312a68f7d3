package js
import ("testing";"os";"strings";"fmt";"time";"bufio")
func TestZ(t *testing.T){
 f,_:=os.Open("/tmp/jsfiles.txt"); sc:=bufio.NewScanner(f); n,bad:=0,0; var total time.Duration; size:=0
 for sc.Scan(){
  parts:=strings.SplitN(sc.Text()," ",2); want:=parts[0]=="ok"
  b,_:=os.ReadFile(parts[1]); src:="function(){"+string(b)+"\n}"
  s:=time.Now(); _,err:=Check(src); total+=time.Since(s); n++; size+=len(src)
  if (err==nil)!=want {bad++; if bad<40 {fmt.Println(want,parts[1],err)}}
 }
 fmt.Println(n,bad,total,size)
}
